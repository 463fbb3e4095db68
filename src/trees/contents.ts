/** What git prints of many objects at once, taken apart by lengths in bytes. */

export interface Content {
  readonly id: string;
  /** As text; undefined where it is no file, or not there. */
  readonly content: string | undefined;
}

/** A file's byte order mark is a part of it. */
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });
const NEWLINE = 0x0a;

/** Of `cat-file --batch`, in the order asked for: for each object a line `id type size`, its bytes, and a line's end. */
export function contentsIn(output: Uint8Array): readonly Content[] {
  const contents: Content[] = [];
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(NEWLINE, at);
    const [id = '', type, size] = UTF8.decode(output.subarray(at, end)).split(' ');
    const [from, to] = size === undefined ? [end, end] : [end + 1, end + 1 + Number(size)];
    contents.push({ id, content: type === 'blob' ? UTF8.decode(output.subarray(from, to)) : undefined });
    at = to + 1;
  }
  return contents;
}

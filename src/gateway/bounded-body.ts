/** Reads a body as a whole, up to a limit. */

/** Undefined where it has more bytes than allowed; the rest is not read. */
export async function boundedBody(
  body: ReadableStream<Uint8Array> | null,
  mostBytes: number,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.byteLength;
    if (bytes > mostBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

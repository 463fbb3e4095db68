/** A person's browser, as far as a registration needs one: it keeps a cookie, reads the form, and follows where it is sent. */
import { parseHTML } from 'linkedom';

export interface Visited {
  readonly status: number;
  readonly headers: Headers;
  /** As it is read. */
  readonly text: string;
  readonly html: string;
  readonly links: Readonly<Record<string, string>>;
}

export interface Browser {
  open(address: string): Promise<Visited>;
  /** Opens the page with the button, presses it, and returns where GitHub sends this browser then. */
  confirm(address: string): Promise<string>;
}

export function createBrowser(): Browser {
  let cookie: string | undefined;
  const open = async (address: string): Promise<Visited> => {
    const response = await fetch(address, { headers: cookie === undefined ? {} : { cookie } });
    cookie = response.headers.get('set-cookie')?.split(';', 1)[0] ?? cookie;
    const html = await response.text();
    const { document } = parseHTML(html);
    const links = [...document.querySelectorAll('a')].map((link) => [link.textContent, link.href] as const);
    const text = document.querySelector('main')?.textContent ?? '';
    return { status: response.status, headers: response.headers, text, html, links: Object.fromEntries(links) };
  };
  return {
    open,
    async confirm(address) {
      const { document } = parseHTML((await open(`${address}/`)).html);
      const action = document.querySelector('form')?.getAttribute('action') ?? '';
      const manifest = document.querySelector('input')?.getAttribute('value') ?? '';
      const body = new URLSearchParams({ manifest });
      const answer = await fetch(action, { method: 'POST', body, redirect: 'manual' });
      return answer.headers.get('location') ?? '';
    },
  };
}

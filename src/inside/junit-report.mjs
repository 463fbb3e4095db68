/** Reads the tests out of a report in JUnit's XML, as test tools of many languages write it. Pure. */

/** Comments, texts as they are, declarations, tags and texts, one after the other. */
const TOKEN =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<[?!][^>]*>|<(\/?)([\w:.-]+)((?:[^<>"']|"[^"]*"|'[^']*')*?)(\/?)>|([^<]+)/g;
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const NAMED = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decoded(text) {
  return text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}

function attributesOf(text) {
  const found = [...text.matchAll(ATTRIBUTE)].map(([, name, one, other]) => [name, decoded(one ?? other)]);
  return Object.fromEntries(found);
}

/** The document as elements `{name, attributes, children, text}`. @throws {Error} when it is not well formed. */
function parse(xml) {
  const root = { name: '', children: [], text: '' };
  const open = [root];
  let at = 0;
  for (const found of xml.matchAll(TOKEN)) {
    at += found[0].length;
    take(open, found);
  }
  if (at !== xml.length || open.length > 1) throw new Error('the report is no whole XML');
  return root;
}

function take(open, [, verbatim, closing, name, attributes, empty, text]) {
  const parent = open.at(-1);
  if (closing === '/') return close(open, name);
  if (name === undefined) {
    parent.text += verbatim ?? decoded(text ?? '');
    return;
  }
  const element = { name, attributes: attributesOf(attributes), children: [], text: '' };
  parent.children.push(element);
  if (empty === '') open.push(element);
}

function close(open, name) {
  if (open.length < 2 || open.pop().name !== name) throw new Error(`the report is no XML: </${name}> closes nothing`);
}

/** What the converters of TAP call the assertions of a test, which they tell as a suite. */
const NUMBERED = /^#\d+ /;

/** Every test as `{name, bare, kind, message}`; kind is passed, failure, error or skipped. @throws {Error} when the report cannot be read. */
export function testsIn(xml) {
  return parse(xml).children.flatMap((element) => inElement(element, []));
}

function inElement({ name, attributes = {}, children }, suites) {
  if (name !== 'testsuite' && name !== 'testsuites') return [];
  const own = name === 'testsuite' && attributes.name ? [...suites, attributes.name] : suites;
  const cases = children.filter((child) => child.name === 'testcase');
  const inner = children.flatMap((child) => inElement(child, own));
  const isTap = cases.length > 0 && cases.every((one) => NUMBERED.test(one.attributes.name ?? ''));
  return [...cases.map((one) => testOf(one, own, isTap)), ...inner];
}

function testOf({ attributes, children }, suites, isTap) {
  const { name = '', classname = '' } = attributes;
  const parents = classname !== '' && ![...suites, name].some((word) => word.includes(classname)) ? [classname] : [];
  const words = isTap ? suites : [...suites, ...parents, name];
  const kind =
    ['error', 'failure', 'skipped'].find((word) => children.some((child) => child.name === word)) ?? 'passed';
  const said = children.find((child) => child.name === kind);
  const { type = '', message = '' } = said?.attributes ?? {};
  const text = told(message, said?.text ?? '');
  const asserted = isTap && said !== undefined ? `${name.replace(NUMBERED, '')}\n` : '';
  return { name: words.join(' > '), bare: words.at(-1) ?? name, kind, type, message: `${asserted}${text}` };
}

/** Many tools begin the text with the message; TAP's block has lines around it. */
function told(message, text) {
  const body = text.trim().replaceAll(/^---\s+|\s+\.\.\.$/g, '');
  if (body === '' || message.includes(body)) return message;
  return body.includes(message) ? body : `${message}\n${body}`;
}

// The pages work without this script; it words times, draws Mermaid diagrams and keeps the page current.

const REFRESH_MS = 2000;
const MERMAID = '/_assets/mermaid/mermaid.esm.min.mjs';
const main = document.querySelector('main');
const notice = document.querySelector('.changed');
/** Drawings by source, so that a refresh neither flickers nor draws twice. */
const drawings = new Map();
let mermaid;

wordTimes();
await drawDiagrams(main);
watch();

/** One refresh after the other, never two at a time. */
function watch() {
  setTimeout(() => refresh().catch(reportOffline).finally(watch), REFRESH_MS);
}

function wordTimes() {
  for (const time of document.querySelectorAll('time[datetime]')) time.textContent = relative(time.dateTime);
}

function relative(moment) {
  const seconds = (Date.parse(moment) - Date.now()) / 1000;
  const units = [['day', 86400], ['hour', 3600], ['minute', 60]];
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  if (Math.abs(seconds) > 30 * 86400) return new Date(moment).toLocaleDateString('en-GB', { dateStyle: 'medium' });
  const [unit, size] = units.find(([, unitSeconds]) => Math.abs(seconds) >= unitSeconds) ?? [];
  return unit ? format.format(Math.round(seconds / size), unit) : 'just now';
}

async function drawDiagrams(root) {
  const sources = [...root.querySelectorAll('pre.mermaid')];
  if (sources.length === 0) return;
  mermaid ??= await loadMermaid();
  // One after the other: Mermaid keeps state between drawings.
  for (const source of sources) await drawDiagram(source);
}

async function loadMermaid() {
  const { default: library } = await import(MERMAID);
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  library.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    theme: isDark ? 'dark' : 'neutral',
    fontFamily: getComputedStyle(document.body).fontFamily,
    secure: ['secure', 'securityLevel', 'startOnLoad', 'maxTextSize', 'maxEdges', 'suppressErrorRendering', 'themeCSS'],
  });
  return library;
}

async function drawDiagram(source) {
  const text = source.textContent;
  const figure = document.createElement('figure');
  figure.className = 'diagram';
  try {
    if (!drawings.has(text)) drawings.set(text, (await mermaid.render(`diagram-${drawings.size}`, text)).svg);
    figure.innerHTML = drawings.get(text);
    source.replaceWith(figure);
  } catch (error) {
    // The source stays where it is; the reason goes above it.
    const reason = document.createElement('p');
    reason.className = 'diagram-error';
    reason.setAttribute('role', 'alert');
    reason.textContent = `This diagram could not be drawn: ${error instanceof Error ? error.message : error}`;
    figure.append(reason);
    source.replaceWith(figure);
    source.className = 'mermaid-source';
    figure.append(source);
  }
}

async function refresh() {
  wordTimes();
  if (document.hidden) return;
  const response = await fetch(location.href, { headers: { 'x-fragment': '1' } });
  const digest = response.headers.get('x-fragment-digest');
  document.body.classList.remove('offline');
  if (!response.ok || !digest || digest === main.dataset.digest) return;
  if (isInUse()) {
    notice.hidden = false;
    return;
  }
  await replaceMain(await response.text(), digest);
}

async function replaceMain(text, digest) {
  const next = document.createElement('main');
  next.innerHTML = text;
  keepFolds(next);
  // Drawn before it is shown; what the visitor began meanwhile is not thrown away.
  next.classList.add('drawing');
  document.body.append(next);
  await drawDiagrams(next);
  next.remove();
  if (isInUse()) return;
  main.replaceChildren(...next.childNodes);
  main.dataset.digest = digest;
  notice.hidden = true;
  wordTimes();
}

function isInUse() {
  const active = document.activeElement;
  if (active?.matches('input, textarea, select')) return true;
  return [...document.querySelectorAll('main input, main textarea, main select')].some(hasText);
}

function hasText(field) {
  if (field.type === 'hidden') return false;
  if (field.type === 'checkbox' || field.type === 'radio') return field.checked !== field.defaultChecked;
  return field.value !== '';
}

/** What the visitor folded or unfolded stays so. */
function keepFolds(next) {
  const remembered = new Map(foldsOf(main).map(([key, details]) => [key, details.open]));
  for (const [key, details] of foldsOf(next)) details.open = remembered.get(key) ?? details.open;
}

/** Folds with a key that survives a refresh: the part of the page, the summary, and how many such came before. */
function foldsOf(root) {
  const seen = new Map();
  return [...root.querySelectorAll('details')].map((details) => {
    const name = `${details.closest('[id]')?.id} ${details.querySelector('summary')?.textContent}`;
    seen.set(name, (seen.get(name) ?? 0) + 1);
    return [`${name} ${seen.get(name)}`, details];
  });
}

function reportOffline(error) {
  // The server stopped: the page keeps what it shows, and says that it is old.
  if (!(error instanceof TypeError)) throw error;
  document.body.classList.add('offline');
}

import { html } from 'hono/html'
import type { LogFilter } from '../logs/logFilter.ts'
import type { LogLine } from '../logs/logLine.ts'
import type { Html } from './components.ts'

const levels = [
  ['info', 'Everything'],
  ['warn', 'Warnings and errors'],
  ['error', 'Errors'],
] as const

const parts: [string, string][] = [
  ['', 'All parts'],
  ['events', 'All but requests'],
  ['requests', 'Only requests'],
  ['rest', 'Data API'],
  ['auth', 'Sign-in'],
  ['storage', 'Files'],
  ['realtime', 'Realtime'],
  ['functions', 'Edge functions'],
  ['cron', 'Jobs'],
  ['pg_net', 'Requests of the database'],
  ['postgres', 'PostgreSQL'],
  ['schema', 'Migrations and seeds'],
]

/** The log, newest first; the page's script adds new lines. */
export function renderLogs(o: {
  base: string
  filter: LogFilter
  lines: LogLine[]
  functions: string[]
}): Html {
  const { base, filter } = o
  const option = (value: string, name: string, chosen: string): Html =>
    value === chosen
      ? html`<option value="${value}" selected>${name}</option>`
      : html`<option value="${value}">${name}</option>`
  const named = [
    ...new Set([...o.functions, ...(filter.part.startsWith('function:') ? [filter.part.slice(9)] : [])]),
  ]
  return html`<form class="filter" id="log-filter" action="${base}/logs" data-stream="${base}/logs/stream">
      <label>
        Level
        <select name="level">
          ${levels.map(([value, name]) => option(value, name, filter.level))}
        </select>
      </label>
      <label>
        Part
        <select name="part">
          ${parts.map(([value, name]) => option(value, name, filter.part))}
          ${
            named.length === 0
              ? ''
              : html`<optgroup label="One function">
                  ${named.map((name) => option(`function:${name}`, name, filter.part))}
                </optgroup>`
          }
        </select>
      </label>
      <label>Containing<input type="search" name="search" value="${filter.search}" /></label>
      <button class="still">Show</button>
      <button type="button" id="pause" hidden>Pause</button>
    </form>
    <p class="soft note" id="log-state">
      Newest first. Without JavaScript, reload the page to see new lines.
    </p>
    <ol class="log" id="log" aria-label="Log, newest first">
      ${o.lines.map(renderLine)}
    </ol>
    <p class="empty" id="log-empty" ${o.lines.length > 0 ? 'hidden' : ''}>No recent lines match.</p>`
}

/** The page's script renders lines in the same way: change both together. */
function renderLine({ time, level, part, text }: LogLine): Html {
  return html`<li class="${level}">
    <time datetime="${time}" data-clock>${time.slice(11, 23)}</time>
    <span class="level">${level}</span>
    <span class="part">${part}</span>
    <span class="text">${text}</span>
  </li>`
}

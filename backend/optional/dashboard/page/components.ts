import { html } from 'hono/html'

/** Markup in which the template has escaped every value. */
export type Html = ReturnType<typeof html>

const numbers = new Intl.NumberFormat('en')

/** 12,345 */
export const renderCount = (count: number): string => numbers.format(count)

/** "1.2 MB", with units of 1,024. */
export function renderBytes(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB']
  let at = 0
  let value = bytes
  while (value >= 1024 && at < units.length - 1) {
    value /= 1024
    at++
  }
  return `${at === 0 || value >= 100 ? Math.round(value) : Math.round(value * 10) / 10} ${units[at]}`
}

/** "3 days", "5 hours", "2 minutes": only the largest unit. */
export function renderDuration(seconds: number): string {
  const units: [number, string][] = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
  ]
  for (const [size, name] of units) {
    const count = Math.floor(seconds / size)
    if (count > 0) return `${count} ${name}${count === 1 ? '' : 's'}`
  }
  return 'less than a minute'
}

/** A time in UTC, which the page's script converts to local time. */
export function renderTime(date: Date | string | null): Html | string {
  if (date === null) return 'never'
  const iso = typeof date === 'string' ? date : date.toISOString()
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`
}

/** A user-defined name, isolated for bidirectional text. */
export const renderName = (name: string): Html => html`<bdi>${name}</bdi>`

/** A copy button, hidden until the script has loaded. */
export const copyButton = (value: string, what: string): Html =>
  html`<button type="button" class="quiet copy" data-copy="${value}" hidden>
    Copy<span class="visually-hidden"> ${what}</span>
  </button>`

/** A table in a region that scrolls if the window is too narrow. */
export function renderTable(o: { name: string; head: Html; rows: Html[] }): Html {
  return html`<div class="scroll" role="region" aria-label="${o.name}" tabindex="0">
    <table>
      <thead>
        <tr>
          ${o.head}
        </tr>
      </thead>
      <tbody>
        ${o.rows}
      </tbody>
    </table>
  </div>`
}

/** Text for an empty list or an error. */
export const renderEmpty = (text: string | Html): Html => html`<p class="empty">${text}</p>`

export const sqlBlock = (sql: string): Html => html`<pre class="sql" tabindex="0"><code>${sql}</code></pre>`

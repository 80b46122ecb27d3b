import { html } from 'hono/html'
import type { Figures } from '../facts/figures.ts'
import type { Key } from '../facts/keys.ts'
import type { DatabaseFacts } from '../facts/server.ts'
import type { Warning } from '../facts/warnings.ts'
import { copyButton, renderBytes, renderCount, renderDuration, renderEmpty, type Html } from './parts.ts'

export interface Overview {
  base: string
  version: string
  keys: Key[]
  /** Whether the owner asked to see the secret ones. */
  revealed: boolean
  /** Null where it could not be looked for them. */
  warnings: Warning[] | null
  database: DatabaseFacts | null
  disk: { freeBytes: number; totalBytes: number } | null
  figures: Figures
}

/** How the house is, what needs its owner, and what one has to copy. */
export function renderOverview(o: Overview): Html {
  return html`${renderServices(o)} ${renderWarnings(o)} ${renderKeys(o)} ${renderFigures(o)}`
}

function renderServices({ database, version, figures }: Overview): Html {
  return html`<p class="lead">
    Linnet ${version}, up for ${renderDuration(figures.uptime)}.
    ${
      database
        ? html`PostgreSQL ${database.version} answers.`
        : html`<strong class="red">PostgreSQL does not answer.</strong>`
    }
  </p>`
}

function renderWarnings({ warnings, base }: Overview): Html {
  if (warnings === null)
    return html`<section aria-labelledby="needs">
      <h2 id="needs">What needs you</h2>
      ${renderEmpty('The database did not say in time. Reload the page to ask again.')}
    </section>`
  const urgent = warnings.filter((warning) => warning.urgent)
  const others = warnings.filter((warning) => !warning.urgent)
  return html`<section aria-labelledby="needs">
    <h2 id="needs">What needs you</h2>
    ${
      urgent.length === 0
        ? html`<p class="empty">Nothing. Tables, disk and address were looked at just now.</p>`
        : html`<ul class="warnings urgent">
            ${urgent.map((warning) => renderWarning(warning, base))}
          </ul>`
    }
    ${
      others.length === 0
        ? ''
        : html`<details ${urgent.length === 0 && others.length <= 3 ? 'open' : ''}>
            <summary>${others.length === 1 ? 'One thing' : `${others.length} things`} to know</summary>
            <ul class="warnings">
              ${others.map((warning) => renderWarning(warning, base))}
            </ul>
          </details>`
    }
  </section>`
}

function renderWarning({ text, advice, see }: Warning, base: string): Html {
  return html`<li>
    <p>${text}</p>
    <p class="soft">${advice} ${see ? html`<a href="${base}/${see.path}">${see.words}</a>` : ''}</p>
  </li>`
}

function renderKeys({ keys, revealed, base }: Overview): Html {
  return html`<section aria-labelledby="keys">
    <div class="head">
      <h2 id="keys">Address and keys</h2>
      ${
        revealed
          ? html`<a class="button" href="${base}/#keys">Hide secret keys</a>`
          : html`<form method="post" action="${base}/keys#keys"><button>Show secret keys</button></form>`
      }
    </div>
    <dl class="keys">
      ${keys.map(
        ({ name, value, use, secret }) =>
          html`<div>
            <dt>${name}<span class="soft">${use}</span></dt>
            <dd>
              ${
                secret && !revealed
                  ? html`<span class="hidden">Hidden</span>`
                  : html`<code>${value}</code>${copyButton(value, name)}`
              }
            </dd>
          </div>`,
      )}
    </dl>
  </section>`
}

function renderFigures({ database, disk, figures }: Overview): Html {
  const shown: [name: string, value: string, more: string][] = [
    [
      'Requests',
      renderCount(figures.requests),
      `since the start, ${renderCount(figures.failedRequests)} failed`,
    ],
    ['Live connections', renderCount(figures.sockets), `${renderCount(figures.topics)} topics`],
    ['Server memory', renderBytes(figures.memoryBytes), 'without PostgreSQL'],
  ]
  if (database)
    shown.push(
      [
        'Database',
        renderBytes(database.bytes),
        `up for ${renderDuration((Date.now() - Number(database.startedAt)) / 1000)}`,
      ],
      ['Database sessions', renderCount(database.connections), `of ${renderCount(database.most)}`],
    )
  if (disk) shown.push(['Disk', `${renderBytes(disk.freeBytes)} free`, `of ${renderBytes(disk.totalBytes)}`])
  return html`<section aria-labelledby="now">
    <h2 id="now">Figures</h2>
    <dl class="figures">
      ${shown.map(
        ([name, value, more]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${value}<span class="soft">${more}</span></dd>
          </div>`,
      )}
    </dl>
  </section>`
}

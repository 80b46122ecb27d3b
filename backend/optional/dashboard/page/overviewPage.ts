import { html } from 'hono/html'
import type { DescribedFinding } from '../../../health/renderFindings.ts'
import type { ServerStats } from '../queries/stats.ts'
import type { Key } from '../queries/keys.ts'
import type { DatabaseState } from '../queries/server.ts'
import type { Warning } from '../queries/warnings.ts'
import type { PendingRestore } from '../DashboardOptions.ts'
import {
  copyButton,
  renderBytes,
  renderCount,
  renderDuration,
  renderEmpty,
  renderTime,
  type Html,
} from './components.ts'

export interface Overview {
  base: string
  version: string
  keys: Key[]
  /** Whether to show the secret keys. */
  revealed: boolean
  /** What the server found about itself, problems first. */
  findings: DescribedFinding[]
  /** About the rights of the schema. Null if they could not be determined. */
  warnings: Warning[] | null
  database: DatabaseState | null
  disk: { freeBytes: number; totalBytes: number } | null
  /** Null if nothing is paused. */
  restore: PendingRestore | null
  stats: ServerStats
}

/** The state of the server, its checks, warnings, keys and metrics. */
export function renderOverview(o: Overview): Html {
  return html`${renderServices(o)} ${renderRestore(o)} ${renderFindings(o)} ${renderWarnings(o)}
  ${renderKeys(o)} ${renderStats(o)}`
}

function renderServices({ database, version, stats }: Overview): Html {
  return html`<p class="lead">
    Linnet ${version}, up for ${renderDuration(stats.uptime)}.
    ${
      database
        ? html`PostgreSQL ${database.version} is running.`
        : html`<strong class="red">PostgreSQL does not respond.</strong>`
    }
  </p>`
}

function renderRestore({ restore, base }: Overview): Html | string {
  if (restore === null) return ''
  return html`<section aria-labelledby="restore">
    <h2 id="restore">Restored from a backup</h2>
    <ul class="warnings urgent">
      <li>
        <p>
          This server was restored ${renderTime(restore.restoredAt)}
          ${restore.recoveredTo === null ? '' : html`, to its state of ${renderTime(restore.recoveredTo)}`}.
          It sends no push notifications and emails, and no requests to other servers.
        </p>
        <p class="soft">
          Make sure that the original server is gone. While both run, people get everything twice.
        </p>
      </li>
    </ul>
    <form method="post" action="${base}/restore">
      <button>The original is gone: send again</button>
    </form>
  </section>`
}

function renderFindings({ findings, base }: Overview): Html {
  const isUrgent = ({ state }: DescribedFinding): boolean => state === 'problem'
  const urgent = findings.filter(isUrgent)
  const notices = findings.filter(({ state }) => state === 'notice')
  const others = findings.filter(({ state }) => state === 'ok' || state === 'unknown')
  return html`<section aria-labelledby="checks">
    <div class="head">
      <h2 id="checks">Checks</h2>
      <form method="post" action="${base}/check#checks"><button>Check again</button></form>
    </div>
    ${
      urgent.length === 0
        ? html`<p class="empty">No problems.</p>`
        : html`<ul class="warnings urgent">
            ${urgent.map(renderFinding)}
          </ul>`
    }
    ${
      notices.length === 0
        ? ''
        : html`<ul class="warnings">
            ${notices.map(renderFinding)}
          </ul>`
    }
    <details>
      <summary>${others.length === 1 ? 'One more check' : `${others.length} more checks`}</summary>
      <ul class="warnings">
        ${others.map(renderFinding)}
      </ul>
    </details>
  </section>`
}

function renderFinding({ title, text, advice, details }: DescribedFinding): Html {
  return html`<li>
    <p><strong>${title}:</strong> ${text}</p>
    ${advice === '' ? '' : html`<p class="soft">${advice}</p>`}
    ${details.map((line) => html`<p class="soft">${line}</p>`)}
  </li>`
}

function renderWarnings({ warnings, base }: Overview): Html {
  if (warnings === null)
    return html`<section aria-labelledby="needs">
      <h2 id="needs">Warnings</h2>
      ${renderEmpty('The database took too long. Reload the page to try again.')}
    </section>`
  const urgent = warnings.filter((warning) => warning.urgent)
  const others = warnings.filter((warning) => !warning.urgent)
  return html`<section aria-labelledby="needs">
    <h2 id="needs">Warnings</h2>
    ${
      urgent.length === 0
        ? html`<p class="empty">No urgent warnings.</p>`
        : html`<ul class="warnings urgent">
            ${urgent.map((warning) => renderWarning(warning, base))}
          </ul>`
    }
    ${
      others.length === 0
        ? ''
        : html`<details ${urgent.length === 0 && others.length <= 3 ? 'open' : ''}>
            <summary>${others.length === 1 ? 'One more warning' : `${others.length} more warnings`}</summary>
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
    <p class="soft">${advice} ${see ? html`<a href="${base}/${see.path}">${see.label}</a>` : ''}</p>
  </li>`
}

function renderKeys({ keys, revealed, base }: Overview): Html {
  return html`<section aria-labelledby="keys">
    <div class="head">
      <h2 id="keys">URL and keys</h2>
      ${
        revealed
          ? html`<a class="button" href="${base}/#keys">Hide secret keys</a>`
          : html`<form method="post" action="${base}/keys#keys"><button>Show secret keys</button></form>`
      }
    </div>
    <dl class="keys">
      ${keys.map(
        ({ name, value, purpose, secret }) =>
          html`<div>
            <dt>${name}<span class="soft">${purpose}</span></dt>
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

function renderStats({ database, disk, stats }: Overview): Html {
  const metrics: [name: string, value: string, more: string][] = [
    ['Requests', renderCount(stats.requests), `since the start, ${renderCount(stats.failedRequests)} failed`],
    ['Live connections', renderCount(stats.sockets), `${renderCount(stats.topics)} topics`],
    ['Server memory', renderBytes(stats.memoryBytes), 'without PostgreSQL'],
  ]
  if (database)
    metrics.push(
      [
        'Database',
        renderBytes(database.bytes),
        `up for ${renderDuration((Date.now() - Number(database.startedAt)) / 1000)}`,
      ],
      ['Database sessions', renderCount(database.connections), `of ${renderCount(database.maxConnections)}`],
    )
  if (disk)
    metrics.push(['Disk', `${renderBytes(disk.freeBytes)} free`, `of ${renderBytes(disk.totalBytes)}`])
  return html`<section aria-labelledby="now">
    <h2 id="now">Metrics</h2>
    <dl class="metrics">
      ${metrics.map(
        ([name, value, more]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${value}<span class="soft">${more}</span></dd>
          </div>`,
      )}
    </dl>
  </section>`
}

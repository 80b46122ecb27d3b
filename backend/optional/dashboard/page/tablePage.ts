import { html } from 'hono/html'
import type { Policy, TableDetails } from '../queries/tableDetails.ts'
import type { TableSummary } from '../queries/tables.ts'
import {
  renderBytes,
  renderCount,
  renderEmpty,
  renderName,
  renderTable,
  sqlBlock,
  type Html,
} from './components.ts'
import { renderAccess, renderRows, renderSecurity } from './tablesPage.ts'

export interface TablePage {
  base: string
  table: TableSummary
  details: TableDetails
  served: boolean
  /** The requested row count, or why there is none. */
  countResult: number | string | null
}

/** One table: access, columns, policies, indexes, constraints, triggers. Shows no rows, as they may be private. */
export function renderTablePage({ base, table, details, served, countResult }: TablePage): Html {
  const isTable = table.kind === 'table' || table.kind === 'partitioned table'
  const facts: [string, Html | string][] = [
    ['Kind', table.kind],
    ['Row security', renderSecurity(table, served)],
    ['Access with the public key', renderAccess(table.anon)],
    ['Access of signed-in users', renderAccess(table.authenticated)],
  ]
  if (isTable || table.kind === 'materialized view') {
    facts.push(['Rows', renderCounted(base, table, countResult)])
    facts.push(['Size', renderBytes(table.bytes)])
  }
  const hasComments = details.columns.some(({ comment }) => comment !== null)
  return html`<p class="lead">
      ${table.comment ?? ''} ${served ? '' : 'The data API does not serve this schema.'}
    </p>
    <dl class="facts">
      ${facts.map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
    </dl>
    ${isTable ? renderPolicies(details.policies, table) : ''}
    <section>
      <h2>Columns</h2>
      ${renderTable({
        name: 'Columns',
        head: html`<th scope="col">Name</th>
          <th scope="col">Type</th>
          <th scope="col">Default</th>
          ${hasComments ? html`<th scope="col" class="wide">Comment</th>` : ''}`,
        rows: details.columns.map(
          ({ name, type, nullable, fallback, comment }) =>
            html`<tr>
              <th scope="row">${renderName(name)}</th>
              <td><code>${type}</code>${nullable ? '' : html` <span class="soft">not null</span>`}</td>
              <td>${fallback === null ? '' : html`<code>${fallback}</code>`}</td>
              ${hasComments ? html`<td class="wide">${comment ?? ''}</td>` : ''}
            </tr>`,
        ),
      })}
    </section>
    ${renderDefinitions(
      'Constraints',
      details.constraints.map(({ name, definition }) => `${name}: ${definition}`),
    )}
    ${renderDefinitions('Indexes', details.indexes)}
    ${renderDefinitions(
      'Triggers',
      details.triggers.map(({ definition, enabled }) => (enabled ? definition : `${definition} (disabled)`)),
    )}`
}

function renderCounted(
  base: string,
  { schema, name, rows }: TableSummary,
  countResult: TablePage['countResult'],
): Html {
  if (typeof countResult === 'number') return html`${renderCount(countResult)}`
  return html`${rows === null ? 'unknown' : renderRows(rows)}
  ${
    rows?.exact === true
      ? ''
      : html`<form method="post" action="${base}/table?${new URLSearchParams({ schema, name })}">
          <button>Count rows</button>
        </form>`
  }
  ${countResult === null ? '' : html`<span class="soft">${countResult}</span>`}`
}

function renderPolicies(policies: Policy[], table: TableSummary): Html {
  return html`<section>
    <h2>Policies</h2>
    ${
      policies.length === 0
        ? renderEmpty(
            table.rowSecurity
              ? 'None: only secret keys and the owner of the table can access its rows.'
              : 'None, and row security is off: only grants apply.',
          )
        : html`<ul class="policies">
            ${policies.map(
              ({ name, permissive, roles, command, using, check }) =>
                html`<li>
                  <h3>${renderName(name)}</h3>
                  <p class="soft">
                    ${permissive ? 'Permissive' : 'Restrictive'} ${command.toLowerCase()}, for
                    ${roles.join(', ')}${
                      !table.rowSecurity ? '; without effect while row security is off' : ''
                    }
                  </p>
                  ${
                    using === null
                      ? ''
                      : html`<p class="soft">Existing rows (using):</p>
                          ${sqlBlock(using)}`
                  }
                  ${
                    check === null
                      ? ''
                      : html`<p class="soft">New rows (with check):</p>
                          ${sqlBlock(check)}`
                  }
                </li>`,
            )}
          </ul>`
    }
  </section>`
}

function renderDefinitions(name: string, definitions: string[]): Html | string {
  if (definitions.length === 0) return ''
  return html`<section>
    <h2>${name}</h2>
    <ul class="definitions">
      ${definitions.map((definition) => html`<li><code>${definition}</code></li>`)}
    </ul>
  </section>`
}

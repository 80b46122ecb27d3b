import { html } from 'hono/html'
import type { Policy, TableDetails } from '../facts/tableDetails.ts'
import type { TableFacts } from '../facts/tables.ts'
import {
  renderBytes,
  renderCount,
  renderEmpty,
  renderName,
  renderTable,
  sqlBlock,
  type Html,
} from './parts.ts'
import { renderAccess, renderRows, renderSecurity } from './tablesPage.ts'

export interface TablePage {
  base: string
  table: TableFacts
  details: TableDetails
  served: boolean
  /** What the owner asked for: the number, or why there is none. */
  counted: number | string | null
}

/** One table: who gets in, what is in it, what hangs on it. No rows: they belong to the people in them. */
export function renderTablePage({ base, table, details, served, counted }: TablePage): Html {
  const isTable = table.kind === 'table' || table.kind === 'partitioned table'
  const facts: [string, Html | string][] = [
    ['Kind', table.kind],
    ['Row security', renderSecurity(table, served)],
    ['Public key may', renderAccess(table.anon)],
    ['Signed in may', renderAccess(table.authenticated)],
  ]
  if (isTable || table.kind === 'materialized view') {
    facts.push(['Rows', renderCounted(base, table, counted)])
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
  { schema, name, rows }: TableFacts,
  counted: TablePage['counted'],
): Html {
  if (typeof counted === 'number') return html`${renderCount(counted)}`
  return html`${rows === null ? 'not known' : renderRows(rows)}
  ${
    rows?.exact === true
      ? ''
      : html`<form method="post" action="${base}/table?${new URLSearchParams({ schema, name })}">
          <button>Count them</button>
        </form>`
  }
  ${counted === null ? '' : html`<span class="soft">${counted}</span>`}`
}

function renderPolicies(policies: Policy[], table: TableFacts): Html {
  return html`<section>
    <h2>Policies</h2>
    ${
      policies.length === 0
        ? renderEmpty(
            table.rowSecurity
              ? 'None, so that only service keys and the owner of the table see its rows.'
              : 'None, and row security is off: grants alone decide.',
          )
        : html`<ul class="policies">
            ${policies.map(
              ({ name, permissive, roles, command, using, check }) =>
                html`<li>
                  <h3>${renderName(name)}</h3>
                  <p class="soft">
                    ${permissive ? 'Allows' : 'Demands for'} ${command.toLowerCase()}, for
                    ${roles.join(', ')}${
                      !table.rowSecurity ? '; without effect while row security is off' : ''
                    }
                  </p>
                  ${
                    using === null
                      ? ''
                      : html`<p class="soft">Rows that are there:</p>
                          ${sqlBlock(using)}`
                  }
                  ${
                    check === null
                      ? ''
                      : html`<p class="soft">Rows as written:</p>
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

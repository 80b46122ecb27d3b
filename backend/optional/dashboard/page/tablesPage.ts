import { html } from 'hono/html'
import type { TableAccess, TableSummary } from '../queries/tables.ts'
import { renderBytes, renderCount, renderEmpty, renderName, renderTable, type Html } from './components.ts'

/** URL of a table's page. */
export const tableAddress = (base: string, { schema, name }: { schema: string; name: string }): string =>
  `${base}/table?${new URLSearchParams({ schema, name })}`

/** Schemas of the platform, listed after those of the project. */
const platformSchemas = new Set([
  'auth',
  'storage',
  'realtime',
  'extensions',
  'vault',
  'cron',
  'net',
  'pgmq',
  'linnet_platform',
  'supabase_functions',
  'supabase_migrations',
])

/** Number of tables shown for each schema. */
const maxTablesPerSchema = 200

/** Tables of the project by schema, then those of the platform, collapsed. */
export function renderTables(o: {
  base: string
  tables: TableSummary[]
  schemas: string[]
  search: string
}): Html {
  const { base, schemas, search } = o
  const found = o.tables.filter(({ schema, name }) =>
    `${schema}.${name}`.toLowerCase().includes(search.toLowerCase()),
  )
  const bySchema = [...group(found)]
  const projectTables = bySchema.filter(([schema]) => !platformSchemas.has(schema))
  const platformTables = bySchema.filter(([schema]) => platformSchemas.has(schema))
  const section = ([schema, tables]: [string, TableSummary[]]): Html =>
    html`<section>
      <h2>
        ${renderName(schema)}
        <span class="soft"
          >${schemas.includes(schema) ? 'served by the data API' : 'not served by the data API'}</span
        >
      </h2>
      ${renderTable({
        name: `Tables of ${schema}`,
        head: html`<th scope="col">Name</th>
          <th scope="col">Row security</th>
          <th scope="col" class="wide">Public key</th>
          <th scope="col" class="wide">Signed-in users</th>
          <th scope="col" class="number">Rows</th>
          <th scope="col" class="number wide">Size</th>`,
        rows: tables
          .slice(0, maxTablesPerSchema)
          .map((table) => renderRow(base, table, schemas.includes(schema))),
      })}
      ${
        tables.length <= maxTablesPerSchema
          ? ''
          : renderEmpty(`${renderCount(tables.length - maxTablesPerSchema)} more. Search by name.`)
      }
    </section>`
  return html`<form class="filter" role="search" action="${base}/tables">
      <label>Find a table<input type="search" name="search" value="${search}" /></label>
      <button>Find</button>
    </form>
    ${
      projectTables.length === 0
        ? renderEmpty(
            search === ''
              ? 'No tables yet. Migrations in supabase/migrations are applied at the next start.'
              : `No table of the project has “${search}” in its name.`,
          )
        : projectTables.map(section)
    }
    ${
      platformTables.length === 0
        ? ''
        : html`<details ${search === '' ? '' : 'open'}>
            <summary>
              ${renderCount(platformTables.flatMap(([, tables]) => tables).length)} tables of the platform
            </summary>
            ${platformTables.map(section)}
          </details>`
    }
    <p class="soft note">Access shows grants. Where row security is on, policies also limit the rows.</p>`
}

function group(tables: TableSummary[]): Map<string, TableSummary[]> {
  const groups = new Map<string, TableSummary[]>()
  for (const table of tables) groups.set(table.schema, [...(groups.get(table.schema) ?? []), table])
  return groups
}

function renderRow(base: string, table: TableSummary, served: boolean): Html {
  return html`<tr>
    <th scope="row">
      <a href="${tableAddress(base, table)}">${renderName(table.name)}</a>
      ${table.kind === 'table' ? '' : html`<span class="soft">${table.kind}</span>`}
    </th>
    <td>${renderSecurity(table, served)}</td>
    <td class="wide">${renderAccess(table.anon)}</td>
    <td class="wide">${renderAccess(table.authenticated)}</td>
    <td class="number">${renderRows(table.rows)}</td>
    <td class="number wide">${table.bytes > 0 ? renderBytes(table.bytes) : ''}</td>
  </tr>`
}

/** "On, 3 policies"; red if it is off and a role without a secret key has access. */
export function renderSecurity(table: TableSummary, served: boolean): Html | string {
  if (table.kind === 'view') return table.asCaller ? 'of the caller' : 'of its owner'
  if (table.kind !== 'table' && table.kind !== 'partitioned table') return 'none'
  if (table.rowSecurity) {
    if (table.policies === 0) return html`On <span class="soft">no policies: no access</span>`
    return html`On
      <span class="soft">${table.policies === 1 ? '1 policy' : `${table.policies} policies`}</span>`
  }
  const open = [table.anon, table.authenticated].some(({ read, write }) => read || write.length > 0)
  return served && open ? html`<strong class="red">Off</strong>` : 'Off'
}

export function renderAccess({ read, write }: TableAccess): string {
  return [...(read ? ['read'] : []), ...write].join(', ') || '–'
}

export function renderRows(rows: TableSummary['rows']): string {
  if (rows === null) return ''
  return rows.exact ? renderCount(rows.count) : `about ${renderCount(rows.count)}`
}

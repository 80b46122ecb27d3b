import { html } from 'hono/html'
import type { Access, TableFacts } from '../facts/tables.ts'
import { renderBytes, renderCount, renderEmpty, renderName, renderTable, type Html } from './parts.ts'

/** Where one table is shown. */
export const tableAddress = (base: string, { schema, name }: { schema: string; name: string }): string =>
  `${base}/table?${new URLSearchParams({ schema, name })}`

/** Schemas that the platform brings; a project's own come before them. */
const platform = new Set([
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

/** Of one schema; more are found by their names. */
const mostShown = 200

/** Tables of the project by schema, then those of the platform, folded away. */
export function renderTables(o: {
  base: string
  tables: TableFacts[]
  schemas: string[]
  search: string
}): Html {
  const { base, schemas, search } = o
  const found = o.tables.filter(({ schema, name }) =>
    `${schema}.${name}`.toLowerCase().includes(search.toLowerCase()),
  )
  const bySchema = [...group(found)]
  const own = bySchema.filter(([schema]) => !platform.has(schema))
  const others = bySchema.filter(([schema]) => platform.has(schema))
  const section = ([schema, tables]: [string, TableFacts[]]): Html =>
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
          <th scope="col" class="wide">Public key may</th>
          <th scope="col" class="wide">Signed in may</th>
          <th scope="col" class="number">Rows</th>
          <th scope="col" class="number wide">Size</th>`,
        rows: tables.slice(0, mostShown).map((table) => renderRow(base, table, schemas.includes(schema))),
      })}
      ${
        tables.length <= mostShown
          ? ''
          : renderEmpty(`${renderCount(tables.length - mostShown)} more. Find them by their names.`)
      }
    </section>`
  return html`<form class="filter" role="search" action="${base}/tables">
      <label>Find a table<input type="search" name="search" value="${search}" /></label>
      <button>Find</button>
    </form>
    ${
      own.length === 0
        ? renderEmpty(
            search === ''
              ? 'No tables yet. A file in supabase/migrations makes them at the next start.'
              : `No table of yours has “${search}” in its name.`,
          )
        : own.map(section)
    }
    ${
      others.length === 0
        ? ''
        : html`<details ${search === '' ? '' : 'open'}>
            <summary>
              ${renderCount(others.flatMap(([, tables]) => tables).length)} tables of the platform
            </summary>
            ${others.map(section)}
          </details>`
    }
    <p class="soft note">
      Rights are those that grants give; where row security is on, its policies decide which rows they reach.
    </p>`
}

function group(tables: TableFacts[]): Map<string, TableFacts[]> {
  const groups = new Map<string, TableFacts[]>()
  for (const table of tables) groups.set(table.schema, [...(groups.get(table.schema) ?? []), table])
  return groups
}

function renderRow(base: string, table: TableFacts, served: boolean): Html {
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

/** "On, 3 policies"; red where it is off and somebody without a service key gets in. */
export function renderSecurity(table: TableFacts, served: boolean): Html | string {
  if (table.kind === 'view') return table.asCaller ? 'as the caller' : 'as its owner'
  if (table.kind !== 'table' && table.kind !== 'partitioned table') return 'none'
  if (table.rowSecurity) {
    if (table.policies === 0) return html`On <span class="soft">no policies: closed</span>`
    return html`On
      <span class="soft">${table.policies === 1 ? '1 policy' : `${table.policies} policies`}</span>`
  }
  const open = [table.anon, table.authenticated].some(({ read, write }) => read || write.length > 0)
  return served && open ? html`<strong class="red">Off</strong>` : 'Off'
}

export function renderAccess({ read, write }: Access): string {
  return [...(read ? ['read'] : []), ...write].join(', ') || '–'
}

export function renderRows(rows: TableFacts['rows']): string {
  if (rows === null) return ''
  return rows.exact ? renderCount(rows.count) : `about ${renderCount(rows.count)}`
}

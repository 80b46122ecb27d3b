import type { Version } from '../../../wire/payloadText.ts'
import type { WalChange } from './walChange.ts'
import type { Row } from './Subscriptions.ts'
import type { TableInfo } from './tableInfo.ts'

/** Recipients that get the same data of a change: with the same role and selected columns. */
export interface Audience {
  role: string
  /** Null for all columns. */
  select: string[] | null
}

/** A larger change is sent without its large values. */
const maxChangeBytes = 1024 * 1024
const maxSmallValueBytes = 64

/**
 * The `data` of a `postgres_changes` event, as JSON text. Columns that the role may not read are omitted; for a deleted
 * row of a table with row security only the key is sent, since its policies can no longer be checked.
 * @param value renders a column's value as JSON text
 */
export function renderChange(
  change: WalChange,
  table: TableInfo,
  audience: Audience,
  value: (index: number, text: string | null) => string,
): string {
  const isTooLarge = change.bytes > maxChangeBytes
  const shown = new Set(
    table.columns
      .filter(({ name, readers }) => readers.has(audience.role) && isSelected(name, table, audience.select))
      .map((column) => column.name),
  )
  const record = (row: Row, keysOnly: boolean): string => {
    const members: string[] = []
    change.relation.columns.forEach(({ name }, index) => {
      const text = row[index]
      if (text === undefined || !shown.has(name) || (keysOnly && !table.keys.has(name))) return
      if (isTooLarge && (text === null || text.length > maxChangeBytes)) return
      const json = value(index, text)
      if (isTooLarge && Buffer.byteLength(json) > maxSmallValueBytes) return
      members.push(`${JSON.stringify(name)}:${json}`)
    })
    return `{${members.join(',')}}`
  }
  const columns = table.columns
    .filter((column) => shown.has(column.name))
    .map(({ name, type }) => ({ name, type }))
  return render(change, {
    columns: JSON.stringify(columns),
    committedAt: change.committedAt,
    errors: isTooLarge ? ['Error 413: Payload Too Large'] : null,
    record: change.row ? record(change.row, false) : null,
    old: change.old ? record(change.old, change.event === 'DELETE' && table.hasRowSecurity) : null,
  })
}

/** The `data` of a change that may not be sent, with the contract's error. */
export function renderChangeError(change: WalChange, error: string): string {
  return render(change, {
    columns: '[]',
    committedAt: null,
    errors: [error],
    record: change.row ? '{}' : null,
    old: change.old ? '{}' : null,
  })
}

/** The frame of the event, as JSON text in either protocol version. */
export function renderChangeFrame(version: Version, topic: string, ids: number[], data: string): string {
  const payload = `{"ids":${JSON.stringify(ids)},"data":${data}}`
  return version === '1.0.0'
    ? `{"topic":${JSON.stringify(topic)},"event":"postgres_changes","payload":${payload},"ref":null}`
    : `[null,null,${JSON.stringify(topic)},"postgres_changes",${payload}]`
}

function isSelected(name: string, table: TableInfo, select: string[] | null): boolean {
  return select === null || select.includes(name) || table.keys.has(name)
}

function render(
  { relation, event }: WalChange,
  parts: {
    columns: string
    committedAt: string | null
    errors: string[] | null
    record: string | null
    old: string | null
  },
): string {
  const record = parts.record === null ? '' : `,"record":${parts.record}`
  const old = parts.old === null ? '' : `,"old_record":${parts.old}`
  return `{"schema":${JSON.stringify(relation.schema)},"table":${JSON.stringify(relation.name)},"type":"${event}","commit_timestamp":${JSON.stringify(parts.committedAt)},"columns":${parts.columns}${record}${old},"errors":${JSON.stringify(parts.errors)}}`
}

import { i18n } from '@lingui/core'
import ArrowDown from 'lucide-react/icons/arrow-down'
import ArrowUp from 'lucide-react/icons/arrow-up'
import type { ReactNode } from 'react'
import type { Pages } from '../../../data/queries/pagedQuery.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { SelectField } from '../../../ui/SelectField.tsx'
import { PagedItems } from './PagedList.tsx'
import styles from './PagedTable.module.css'
import type { Selection } from './useSelection.ts'

/** A column of a table. */
export interface Column<T, Sort extends string = never> {
  title: string
  /** Shown before the value in the first column: an icon or an avatar. */
  mark?: (item: T) => ReactNode
  render: (item: T) => ReactNode
  /** Whether the values are texts of several lines; other values stay in one line. */
  isText?: boolean
  /** The orders in which the server can sort by this column. Its title then is a button. */
  ascending?: Sort
  descending?: Sort
}

interface Props<T, Sort extends string> {
  label: string
  pages: Pages<T>
  /** Sentence of a table without rows. */
  empty: string
  idOf: (item: T) => string
  /** The first one names the row. */
  columns: readonly Column<T, Sort>[]
  sort?: Sort
  onSort?: (sort: Sort) => void
  /** With a selection, each row has a checkbox, whose name contains `nameOf`. */
  selection?: Selection<T>
  nameOf?: (item: T) => string
}

/** For browsers that derive the roles from the layout, which a narrow table has its own of. Lint reports them as redundant. */
const ROLES = {
  table: { role: 'table' },
  rowgroup: { role: 'rowgroup' },
  row: { role: 'row' },
  columnheader: { role: 'columnheader' },
  rowheader: { role: 'rowheader' },
  cell: { role: 'cell' },
}

/**
 * A table with a button for its next page. Where it is narrow, the values of a row follow its first one in a paragraph, and a
 * field above it has the orders.
 */
export function PagedTable<T, Sort extends string = never>(props: Props<T, Sort>) {
  const { label, pages, empty, idOf, columns, sort, onSort, selection, nameOf } = props
  const rowClass = columns[0]?.mark ? styles.hasMark : undefined
  return (
    <PagedItems<T, HTMLTableSectionElement> label={label} pages={pages} empty={empty}>
      {(items, ref) => (
        <div className={styles.container}>
          {sort !== undefined && onSort ? <Order columns={columns} sort={sort} onSort={onSort} /> : null}
          <table {...ROLES.table} className={styles.table} aria-label={label} aria-busy={pages.isFetching}>
            <thead {...ROLES.rowgroup}>
              <tr {...ROLES.row} className={rowClass}>
                {selection ? (
                  <td {...ROLES.cell} className={styles.check}>
                    <SelectAll items={items} idOf={idOf} selection={selection} />
                  </td>
                ) : null}
                {columns.map((column) => (
                  <Heading key={column.title} column={column} sort={sort} onSort={onSort} />
                ))}
              </tr>
            </thead>
            <tbody ref={ref} {...ROLES.rowgroup}>
              {items.map((item) => (
                <tr key={idOf(item)} {...ROLES.row} className={rowClass}>
                  {selection ? (
                    <td {...ROLES.cell} className={styles.check}>
                      <Check
                        label={i18n._('Select {name}', { name: nameOf?.(item) ?? '' })}
                        checked={selection.has(idOf(item))}
                        onChange={(checked) => selection.set([item], checked)}
                      />
                    </td>
                  ) : null}
                  {columns.map(({ title, mark, render, isText }, index) =>
                    index === 0 ? (
                      <th key={title} {...ROLES.rowheader} scope="row">
                        {mark ? (
                          <div className={styles.marked}>
                            <span className={styles.mark}>{mark(item)}</span>
                            <div>{render(item)}</div>
                          </div>
                        ) : (
                          render(item)
                        )}
                      </th>
                    ) : (
                      <td key={title} {...ROLES.cell} className={isText ? undefined : styles.short}>
                        {render(item)}
                      </td>
                    ),
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </PagedItems>
  )
}

interface HeadingProps<T, Sort extends string> {
  column: Column<T, Sort>
  sort: Sort | undefined
  onSort: ((sort: Sort) => void) | undefined
}

function Heading<T, Sort extends string>({ column, sort, onSort }: HeadingProps<T, Sort>) {
  const { title, ascending, descending } = column
  const order =
    sort === undefined ? null : sort === ascending ? 'ascending' : sort === descending ? 'descending' : null
  const next = (order === 'ascending' ? descending : ascending) ?? descending ?? ascending
  return (
    <th {...ROLES.columnheader} scope="col" aria-sort={order ?? undefined}>
      {next && onSort ? (
        <>
          <button type="button" className={styles.sort} onClick={() => onSort(next)}>
            {title}
            {order ? <Icon of={order === 'ascending' ? ArrowUp : ArrowDown} /> : null}
          </button>
          <span className={styles.title}>{title}</span>
        </>
      ) : (
        title
      )}
    </th>
  )
}

interface OrderProps<T, Sort extends string> {
  columns: readonly Column<T, Sort>[]
  sort: Sort
  onSort: (sort: Sort) => void
}

/** The orders of all columns in one field. */
function Order<T, Sort extends string>({ columns, sort, onSort }: OrderProps<T, Sort>) {
  const options = columns.flatMap(({ title, ascending, descending }) => [
    ...(ascending ? [{ value: ascending, label: i18n._('{title}, ascending', { title }) }] : []),
    ...(descending ? [{ value: descending, label: i18n._('{title}, descending', { title }) }] : []),
  ])
  return (
    <div className={styles.order}>
      <SelectField label={i18n._('Sort by')} value={sort} options={options} onChange={onSort} />
    </div>
  )
}

interface SelectAllProps<T> {
  items: readonly T[]
  idOf: (item: T) => string
  selection: Selection<T>
}

function SelectAll<T>({ items, idOf, selection }: SelectAllProps<T>) {
  const count = items.filter((item) => selection.has(idOf(item))).length
  return (
    <Check
      label={i18n._('Select all in the list')}
      checked={count === items.length}
      isPartial={count > 0 && count < items.length}
      onChange={(checked) => selection.set(items, checked)}
    />
  )
}

interface CheckProps {
  label: string
  checked: boolean
  isPartial?: boolean
  onChange: (checked: boolean) => void
}

function Check({ label, checked, isPartial = false, onChange }: CheckProps) {
  return (
    <label className={styles.target}>
      <span className="visually-hidden">{label}</span>
      <input
        ref={(input) => {
          if (input) input.indeterminate = isPartial
        }}
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </label>
  )
}

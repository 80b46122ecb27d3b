import { i18n } from '@lingui/core'
import { useEffect, useRef, type ReactNode, type RefObject } from 'react'
import type { Pages } from '../../../data/queries/pagedQuery.ts'
import { Button } from '../../../ui/Button.tsx'
import { QueryContent } from './QueryContent.tsx'

interface Props<T> extends Omit<ItemsProps<T>, 'children'> {
  className: string | undefined
  /** An `li` with a key. */
  render: (item: T) => ReactNode
}

/**
 * A list with a button for its next page. If a page fails to load, an error with a button to try again follows the
 * items.
 */
export function PagedList<T>({ className, render, ...others }: Props<T>) {
  return (
    <PagedItems<T, HTMLUListElement> {...others}>
      {(items, ref) => (
        <ul ref={ref} className={className} aria-label={others.label} aria-busy={others.pages.isFetching}>
          {items.map(render)}
        </ul>
      )}
    </PagedItems>
  )
}

interface ItemsProps<T, Parent = HTMLElement> {
  label: string
  pages: Pages<T>
  /** Sentence of a list without items. */
  empty: string
  /** Renders the items. `ref` is the parent of their elements. */
  children: (items: readonly T[], ref: RefObject<Parent | null>) => ReactNode
}

/** The items of a list as `PagedList` and `PagedTable` show them, with the button for the next page. */
export function PagedItems<T, Parent extends HTMLElement>({
  label,
  pages,
  empty,
  children,
}: ItemsProps<T, Parent>) {
  const { value, failure, isFetching, more, isCut } = pages
  const list = useRef<Parent>(null)
  /** Items before the page that the user has requested: the focus moves to the one after them. */
  const shown = useRef<number | null>(null)
  const count = value?.length ?? 0
  useEffect(() => {
    if (shown.current === null || count <= shown.current) return
    focusItem(list.current?.children[shown.current])
    shown.current = null
  }, [count])
  return (
    <QueryContent query={pages} loading={label}>
      {(items) => (
        <>
          {items.length > 0 ? (
            children(items, list)
          ) : failure ? null : (
            <p role="status" className="muted">
              {empty}
            </p>
          )}
          {failure ? null : more ? (
            <div>
              <Button
                busy={isFetching}
                onClick={() => {
                  shown.current = count
                  more()
                }}
              >
                {i18n._('Show more')}
              </Button>
            </div>
          ) : isCut ? (
            <p className="muted">
              {i18n._('Only the first {count} are shown. Search or filter to find others.', { count })}
            </p>
          ) : null}
        </>
      )}
    </QueryContent>
  )
}

/** Focuses the first control of an item, or the item itself. */
function focusItem(item: Element | undefined): void {
  if (!(item instanceof HTMLElement)) return
  const control = item.querySelector<HTMLElement>('a, button, input')
  if (!control) item.tabIndex = -1
  ;(control ?? item).focus()
}

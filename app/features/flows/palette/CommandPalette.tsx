import { i18n } from '@lingui/core'
import Search from 'lucide-react/icons/search'
import { useEffect, useId, useRef, useState } from 'react'
import { formatAddress, pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { cx } from '../../../ui/cx.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import type { TypedAhead } from '../../parts/overlays/OverlayContext.ts'
import { useTypedAhead } from '../../parts/overlays/useTypedAhead.ts'
import styles from './CommandPalette.module.css'
import { Icon } from '../../../ui/Icon.tsx'
import { isComposing } from '../../../ui/isComposing.ts'
import { foldText } from '../../parts/matching/matchNames.ts'
import { learnedFor, putLearnedFirst, type Use } from './learnedUses.ts'
import { rank } from '../../parts/matching/rank.ts'
import { recordPlaces, recordUse, storedUses } from './storedUses.ts'
import { UnreadCount } from '../sidebar/rows/UnreadCount.tsx'
import { usePaletteItems, type PaletteItem, type PaletteKind } from './usePaletteItems.tsx'

/**
 * The maximum number of displayed items, which is twice the visible number. A key may replace all of them. Typing
 * another letter finds the others.
 */
const MAX_SHOWN = 20
const PAGE_STEP = 8
/**
 * This weight exceeds all others. While the user types, items that they often open come before unread and recent
 * items.
 */
const LEARNED_WEIGHT = 1e15

recordPlaces()

/**
 * The command palette. It opens conversations and runs commands by a few letters of their names. It also leads to the
 * search of messages.
 */
export default function CommandPalette({ typed, onClose }: { typed: TypedAhead; onClose: () => void }) {
  const [edited, setQuery] = useState<string | null>(null)
  const captured = useTypedAhead(typed)
  const query = edited ?? captured
  const [index, setIndex] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const listId = useId()
  const [uses] = useState(storedUses)
  const searchItem = useSearchItem(query, onClose)
  const found = rankLearned(usePaletteItems(onClose), uses, query).slice(0, MAX_SHOWN)
  const groups = groupItems(found, searchItem)
  const items = groups.flatMap((group) => group.items)
  const highlighted = Math.min(index, items.length - 1)

  useEffect(() => {
    // The name of the first group scrolls into view, too.
    if (highlighted === 0) list.current?.scrollTo({ top: 0 })
    else document.getElementById(`${listId}-${highlighted}`)?.scrollIntoView({ block: 'nearest' })
  }, [listId, highlighted])

  function run(item: PaletteItem | undefined) {
    if (!item) return
    if (item !== searchItem) recordUse(item.key, foldText(query.trim()))
    item.run()
  }

  return (
    <Dialog title={i18n._('Jump to')} bare position="top" onClose={onClose}>
      <input
        className={styles.field}
        role="combobox"
        aria-expanded={items.length > 0}
        aria-controls={listId}
        aria-activedescendant={items.length ? `${listId}-${highlighted}` : undefined}
        aria-label={i18n._('Jump to')}
        placeholder={i18n._('Channel, person or command')}
        dir="auto"
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value)
          setIndex(0)
        }}
        onKeyDown={(event) => {
          if (isComposing(event.nativeEvent)) return
          const to = nextIndex(event.key, highlighted, items.length)
          if (to !== null) {
            event.preventDefault()
            setIndex(to)
          }
          if (event.key !== 'Enter') return
          // Otherwise the same key would press the element that has the focus next.
          event.preventDefault()
          run(items[highlighted])
        }}
      />
      <div ref={list} id={listId} role="listbox" aria-label={i18n._('Results')} className={styles.list}>
        {groups.map((group) => (
          <div key={group.kind} role="group" aria-label={group.name}>
            <div className={styles.group} aria-hidden="true">
              {group.name}
            </div>
            {group.items.map((item) => (
              <Choice
                key={item.key}
                id={`${listId}-${items.indexOf(item)}`}
                item={item}
                isHighlighted={items.indexOf(item) === highlighted}
                onHighlight={() => setIndex(items.indexOf(item))}
                onRun={() => run(item)}
              />
            ))}
          </div>
        ))}
      </div>
    </Dialog>
  )
}

interface ChoiceProps {
  id: string
  item: PaletteItem
  isHighlighted: boolean
  onHighlight: () => void
  onRun: () => void
}

function Choice({ id, item, isHighlighted, onHighlight, onRun }: ChoiceProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- keys go to the field, which keeps the focus
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isHighlighted}
      className={cx(styles.choice, isHighlighted && styles.highlighted)}
      onPointerMove={onHighlight}
      onClick={onRun}
    >
      <span className={styles.icon}>{item.icon}</span>
      <bdi className={styles.name}>{item.name}</bdi>
      {item.hint ? <bdi className={styles.hint}>{item.hint}</bdi> : null}
      {item.unread ? <UnreadCount unread={item.unread} /> : null}
    </div>
  )
}

interface Group {
  kind: PaletteKind | 'search'
  name: string
  items: PaletteItem[]
}

/** Returns the items by their kind, the kind of the best item first. The search of messages is the last group. */
function groupItems(found: readonly PaletteItem[], search: PaletteItem | null): Group[] {
  const names: Record<PaletteKind, string> = {
    people: i18n._('People'),
    channels: i18n._('Channels'),
    pages: i18n._('Pages'),
    commands: i18n._('Commands'),
  }
  const kinds = [...new Set(found.map(({ kind }) => kind))]
  const groups: Group[] = kinds.map((kind) => ({
    kind,
    name: names[kind],
    items: found.filter((item) => item.kind === kind),
  }))
  if (search) groups.push({ kind: 'search', name: i18n._('Messages'), items: [search] })
  return groups
}

/** Returns the matching items, ranked by their names and by the items that the user opened before. */
function rankLearned(items: readonly PaletteItem[], uses: readonly Use[], query: string): PaletteItem[] {
  const typed = foldText(query.trim())
  if (!typed || uses.length === 0) return rank(items, query)
  const learned = learnedFor(uses, typed, Date.now())
  const weighed = items.map((item) => {
    const total = learned.get(item.key)?.total
    return total === undefined ? item : { ...item, weight: (item.weight ?? 0) + total * LEARNED_WEIGHT }
  })
  return putLearnedFirst(rank(weighed, query), learned)
}

/** Returns the item that searches messages for the typed text; null if there is no text. */
function useSearchItem(query: string, onClose: () => void): PaletteItem | null {
  const text = query.trim()
  if (!text) return null
  return {
    key: 'search',
    kind: 'pages',
    name: i18n._('Search messages for “{query}”', { query: text }),
    icon: <Icon of={Search} />,
    run: () => {
      onClose()
      navigate(formatAddress(pathTo('search'), { q: text }))
    },
  }
}

/** Returns the index to which a key moves the selection. Null for keys of the field: Home and End move its caret. */
function nextIndex(key: string, index: number, count: number): number | null {
  if (count === 0) return null
  if (key === 'ArrowDown') return (index + 1) % count
  if (key === 'ArrowUp') return (index + count - 1) % count
  if (key === 'PageDown') return Math.min(index + PAGE_STEP, count - 1)
  if (key === 'PageUp') return Math.max(index - PAGE_STEP, 0)
  return null
}

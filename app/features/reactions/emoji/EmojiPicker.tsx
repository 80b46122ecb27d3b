import { i18n } from '@lingui/core'
import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { frequentEmoji, recordEmojiUse } from './frequentEmoji.ts'
import styles from './EmojiPicker.module.css'
import { findEmoji, readEmoji, nextOnGrid, type Emoji } from './findEmoji.ts'

const COLUMNS = 8

interface Props {
  anchor: HTMLElement
  onPick: (emoji: string) => void
  onClose: () => void
}

interface Group {
  title: string
  emoji: Emoji[]
}

/** The emoji picker: typing searches, arrow keys move. Focus returns to the anchor. */
export default function EmojiPicker({ anchor, onPick, onClose }: Props) {
  const ref = useRef<HTMLDivElement>(null)
  const [data, setData] = useState<readonly string[] | null>(null)
  const [query, setQuery] = useState('')
  const all = useMemo(() => (data ?? []).map(readEmoji), [data])
  const groups = useMemo(() => groupsOf(all, query), [all, query])

  useEffect(() => {
    const loading = i18n.locale === 'de' ? import('./de.generated.ts') : import('./en.generated.ts')
    void loading.then((loaded) => setData(loaded.default)).catch(() => {})
  }, [])

  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    element.showPopover()
    const from = anchor.getBoundingClientRect()
    const { width, height } = element.getBoundingClientRect()
    const above = from.top - height - 4
    element.style.top = `${above > 8 ? above : Math.max(8, Math.min(from.bottom + 4, innerHeight - height - 8))}px`
    element.style.left = `${Math.max(8, Math.min(from.left, innerWidth - width - 8))}px`
    // On touch devices the keyboard would cover the picker.
    if (matchMedia('(pointer: fine)').matches) element.querySelector('input')?.focus({ preventScroll: true })
    const onToggle = (event: Event) => {
      if ((event as ToggleEvent).newState === 'closed') onClose()
    }
    element.addEventListener('toggle', onToggle)
    return () => element.removeEventListener('toggle', onToggle)
  }, [anchor, onClose])

  function pick(emoji: string) {
    recordEmojiUse(emoji)
    anchor.focus({ preventScroll: true })
    onClose()
    onPick(emoji)
  }

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    event.stopPropagation()
    if (event.nativeEvent.isComposing) return
    const field = ref.current?.querySelector('input')
    const buttons = [...(ref.current?.querySelectorAll('button') ?? [])]
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
    if (event.key === 'Escape') {
      event.preventDefault()
      anchor.focus({ preventScroll: true })
      onClose()
    } else if (at < 0) {
      const first = groups[0]?.emoji[0]
      if (event.key === 'ArrowDown') buttons[0]?.focus()
      else if (event.key === 'Enter' && first) pick(first.emoji)
      else return
      event.preventDefault()
    } else if (event.key.startsWith('Arrow')) {
      event.preventDefault()
      const lengths = groups.map((group) => group.emoji.length)
      const to = nextOnGrid(lengths, at, mirrorKey(event.key, event.currentTarget), COLUMNS)
      if (to === null) field?.focus()
      else buttons[to]?.focus()
    } else if (event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey) field?.focus()
  }

  return (
    <div
      ref={ref}
      popover="auto"
      role="dialog"
      aria-label={i18n._('Emoji')}
      className={styles.board}
      onKeyDown={onKeyDown}
    >
      <input
        type="search"
        className={styles.search}
        aria-label={i18n._('Search emoji')}
        placeholder={i18n._('Search emoji')}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
      />
      <div className={styles.groups}>
        {groups.map((group, index) => (
          <Section key={group.title} group={group} first={index === 0} onPick={pick} />
        ))}
        {groups.length === 0 && data ? <p className={styles.none}>{i18n._('No emoji found.')}</p> : null}
      </div>
    </div>
  )
}

interface SectionProps {
  group: Group
  first: boolean
  onPick: (emoji: string) => void
}

const Section = memo(
  function Section({ group, first, onPick }: SectionProps) {
    return (
      <section aria-label={group.title} className={styles.group}>
        <h3 className={styles.title}>{group.title}</h3>
        <div className={styles.grid}>
          {group.emoji.map(({ emoji, name }, index) => (
            <button
              key={emoji}
              type="button"
              // Tab reaches the first; arrow keys move from there.
              tabIndex={first && index === 0 ? 0 : -1}
              aria-label={name}
              title={name}
              className={styles.emoji}
              onClick={() => onPick(emoji)}
            >
              {emoji}
            </button>
          ))}
        </div>
      </section>
    )
  },
  // 2,000 buttons are rendered once: every `onPick` does the same.
  (before, now) => before.group === now.group,
)

function groupsOf(all: Emoji[][], query: string): Group[] {
  const flat = all.flat()
  if (query.trim()) {
    const found = findEmoji(flat, query)
    return found.length ? [{ title: i18n._('Results'), emoji: found }] : []
  }
  const named = new Map(flat.map((one) => [one.emoji, one]))
  const frequent = frequentEmoji().map((emoji) => named.get(emoji) ?? { emoji, name: emoji, terms: '' })
  const titles = [
    i18n._('Smileys and people'),
    i18n._('Animals and nature'),
    i18n._('Food and drink'),
    i18n._('Travel and places'),
    i18n._('Activities'),
    i18n._('Objects'),
    i18n._('Symbols'),
    i18n._('Flags'),
  ]
  return [
    { title: i18n._('Frequently used'), emoji: frequent },
    ...all.map((emoji, index) => ({ title: titles[index] ?? '', emoji })),
  ]
}

/** In right-to-left pages the arrow keys are mirrored. */
function mirrorKey(key: string, element: HTMLElement): string {
  if (getComputedStyle(element).direction !== 'rtl') return key
  return { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' }[key] ?? key
}

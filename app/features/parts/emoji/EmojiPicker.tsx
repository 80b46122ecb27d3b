import { useDevicePreference } from '../../../data/hooks/useDevicePreference.ts'
import { i18n } from '@lingui/core'
import {
  memo,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
} from 'react'
import { useCustomEmoji } from '../../../data/emoji/customEmoji.ts'
import { useLongPress } from '../../../ui/useLongPress.ts'
import { isComposing } from '../../../ui/isComposing.ts'
import { TOUCH, useMedia } from '../../../ui/useMedia.ts'
import { Popover } from '../../../ui/Popover.tsx'
import styles from './EmojiPicker.module.css'
import { EmojiText, withEmoji } from './EmojiText.tsx'
import { fromCustomEmoji, loadEmoji, type Emoji, type EmojiGroups } from './emojiData.ts'
import { findEmoji, nextOnGrid, unnamed } from './findEmoji.ts'
import { recentEmoji, recordEmojiUse } from './recentEmoji.ts'
import { withoutSkinTone, withSkinTone, type SkinTone } from './skinTone.ts'

const COLUMNS = 8
/**
 * The number of emoji in the first frame, which is more than the picker can show at once. The next frame adds the
 * others.
 */
const FIRST_FRAME = 9 * COLUMNS
const TONES: readonly SkinTone[] = [0, 1, 2, 3, 4, 5]

interface Props {
  anchor: HTMLElement
  onPick: (emoji: string) => void
  onClose: () => void
  /** Without custom emoji, where they can't be displayed. */
  standardOnly?: boolean
}

interface Group {
  title: string
  emoji: readonly Emoji[]
}

/**
 * The emoji picker. Typing searches, and arrow keys move the selection. A long press, a right click or the menu key
 * on an emoji offers its skin tones. A button changes the skin tone of all emoji on this device. Focus returns to the
 * anchor.
 */
export default function EmojiPicker({ anchor, onPick, onClose, standardOnly = false }: Props) {
  const ref = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLDivElement>(null)
  // A mouse scrolls, and keys search.
  const isTouch = useMedia(TOUCH)
  const [data, setData] = useState<EmojiGroups | null>(null)
  const [query, setQuery] = useState('')
  const [tone, setTone] = useDevicePreference('skinTone')
  /** The emoji whose skin tones are offered; 'all' for the default one. */
  const [toned, setToned] = useState<Emoji | 'all' | null>(null)
  const customEmoji = useCustomEmoji()
  const custom = useMemo(
    () => (standardOnly ? [] : customEmoji.map(fromCustomEmoji)),
    [standardOnly, customEmoji],
  )
  const [recent] = useState(recentEmoji)
  const groups = useMemo(
    () => (data ? groupsOf(data, custom, recent, query, tone) : EMPTY),
    [data, custom, recent, query, tone],
  )
  const shown = useDeferredValue(groups, EMPTY)
  const visible = query.trim() ? groups : shown === EMPTY ? firstOf(groups) : shown

  useEffect(() => {
    void loadEmoji()
      .then(setData)
      .catch(() => {})
  }, [])

  useLayoutEffect(() => {
    // On touch devices the keyboard would cover the picker.
    if (matchMedia('(pointer: fine)').matches)
      ref.current?.querySelector('input')?.focus({ preventScroll: true })
  }, [])

  function pick(emoji: string) {
    recordEmojiUse(emoji)
    anchor.focus({ preventScroll: true })
    onClose()
    onPick(emoji)
  }

  useLayoutEffect(() => {
    if (toned) ref.current?.querySelector<HTMLElement>('[data-tones] button')?.focus()
  }, [toned])

  function closeTones() {
    setToned(null)
    ref.current?.querySelector('input')?.focus({ preventScroll: true })
  }

  function chooseTone(chosen: SkinTone) {
    if (toned === 'all') {
      setTone(chosen)
      closeTones()
    } else if (toned) pick(withSkinTone(toned.emoji, chosen))
  }

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    if (isComposing(event.nativeEvent)) return
    if (event.key === 'Escape' && toned) {
      event.preventDefault()
      return closeTones()
    }
    const field = ref.current?.querySelector('input')
    const focused = document.activeElement
    const tones = [...(ref.current?.querySelectorAll<HTMLElement>('[data-tones] button') ?? [])]
    if (tones.includes(focused as HTMLElement)) {
      const key = mirrorKey(event.key, event.currentTarget)
      const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
      if (!step) return
      event.preventDefault()
      tones[(tones.indexOf(focused as HTMLElement) + step + tones.length) % tones.length]?.focus()
      return
    }
    const buttons = [...(ref.current?.querySelectorAll<HTMLElement>('[data-emoji]') ?? [])]
    const at = buttons.indexOf(focused as HTMLElement)
    if (at < 0) {
      if (focused !== field) return
      const first = groups[0]?.emoji[0]
      if (event.key === 'ArrowDown') buttons[0]?.focus()
      // Without a result, Enter does nothing. By default, the browser would submit the form around the picker.
      else if (event.key === 'Enter') {
        if (first) pick(first.emoji)
      } else return
      event.preventDefault()
    } else if (event.key.startsWith('Arrow')) {
      event.preventDefault()
      const lengths = visible.map((group) => group.emoji.length)
      const to = nextOnGrid(lengths, at, mirrorKey(event.key, event.currentTarget), COLUMNS)
      if (to === null) field?.focus()
      else buttons[to]?.focus()
    } else if (event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey) field?.focus()
  }

  return (
    <Popover
      ref={ref}
      label={i18n._('Emoji')}
      anchor={anchor}
      side="above"
      className={styles.board}
      onKeyDown={onKeyDown}
      onClose={onClose}
    >
      <div className={styles.head}>
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
        <button
          type="button"
          className={styles.emoji}
          aria-label={i18n._('Skin tone: {tone}', { tone: toneName(tone) })}
          data-tooltip={i18n._('Skin tone')}
          aria-expanded={toned === 'all'}
          onClick={() => (toned === 'all' ? closeTones() : setToned('all'))}
        >
          {withSkinTone('✋', tone)}
        </button>
      </div>
      {toned ? (
        <div className={styles.tones} role="group" aria-label={i18n._('Skin tone')} data-tones>
          {TONES.map((one) => (
            <button
              key={one}
              type="button"
              className={styles.emoji}
              aria-label={toneName(one)}
              title={toneName(one)}
              aria-pressed={toned === 'all' ? one === tone : undefined}
              onClick={() => chooseTone(one)}
            >
              {withSkinTone(toned === 'all' ? '✋' : toned.emoji, one)}
            </button>
          ))}
        </div>
      ) : null}
      <div ref={list} className={styles.groups}>
        {visible.map((group, index) => (
          <Section key={group.title} group={group} first={index === 0} onPick={pick} onTones={setToned} />
        ))}
        {groups.length === 0 && data ? <p className={styles.none}>{i18n._('No emoji found.')}</p> : null}
      </div>
      {isTouch && !query.trim() ? (
        <div className={styles.categories} role="group" aria-label={i18n._('Categories')}>
          {groups.map(({ title, emoji: [first] }, index) => (
            <button
              key={title}
              type="button"
              className={styles.emoji}
              aria-label={title}
              onClick={() => list.current?.children[index]?.scrollIntoView()}
            >
              {index === 0 ? '🕘' : withEmoji(first?.emoji ?? '')}
            </button>
          ))}
        </div>
      ) : null}
    </Popover>
  )
}

const EMPTY: readonly Group[] = []

/** Returns the groups that the first frame shows. */
function firstOf(groups: readonly Group[]): readonly Group[] {
  const first: Group[] = []
  let left = FIRST_FRAME
  for (const { title, emoji } of groups) {
    if (left <= 0) break
    first.push({ title, emoji: emoji.slice(0, left) })
    left -= emoji.length
  }
  return first
}

interface SectionProps {
  group: Group
  first: boolean
  onPick: (emoji: string) => void
  onTones: (emoji: Emoji) => void
}

const Section = memo(
  function Section({ group, first, onPick, onTones }: SectionProps) {
    const emojiAt = (target: EventTarget): Emoji | undefined => {
      const button = (target as Element).closest<HTMLElement>('[data-emoji]')
      return button ? group.emoji[Number(button.dataset.emoji)] : undefined
    }
    // One set of handlers for all buttons: 2,000 of them are rendered when the picker opens.
    const pressed = useRef<Emoji | undefined>(undefined)
    const press = useLongPress(
      () => {
        if (pressed.current) onTones(pressed.current)
      },
      (target) => !emojiAt(target)?.hasTones,
    )
    return (
      // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- they handle the buttons within
      <section
        aria-label={group.title}
        className={styles.group}
        {...press}
        onPointerDown={(event) => {
          pressed.current = emojiAt(event.target)
          press.onPointerDown(event)
        }}
        onContextMenu={(event: MouseEvent) => {
          pressed.current = emojiAt(event.target)
          press.onContextMenu(event)
        }}
        onClick={(event) => {
          const one = emojiAt(event.target)
          if (one) onPick(one.emoji)
        }}
      >
        <h3 className={styles.title}>{group.title}</h3>
        <div className={styles.grid}>
          {group.emoji.map(({ emoji, name }, index) => (
            <button
              key={emoji}
              type="button"
              data-emoji={index}
              // Tab reaches the first; arrow keys move from there.
              tabIndex={first && index === 0 ? 0 : -1}
              aria-label={name}
              title={name}
              className={styles.emoji}
            >
              {emoji.startsWith(':') ? <EmojiText text={emoji} /> : emoji}
            </button>
          ))}
        </div>
      </section>
    )
  },
  // Every `onPick` and `onTones` does the same.
  (before, now) => before.group === now.group,
)

function toneName(tone: SkinTone): string {
  return [
    i18n._('No skin tone'),
    i18n._('Light'),
    i18n._('Medium-light'),
    i18n._('Medium'),
    i18n._('Medium-dark'),
    i18n._('Dark'),
  ][tone]!
}

function groupsOf(
  standard: EmojiGroups,
  custom: readonly Emoji[],
  recent: readonly string[],
  query: string,
  tone: SkinTone,
): readonly Group[] {
  const inTone = (one: Emoji): Emoji =>
    one.hasTones && tone ? { ...one, emoji: withSkinTone(one.emoji, tone) } : one
  const flat = [...custom, ...standard.flat()]
  if (query.trim()) {
    const found = findEmoji(flat, query)
    return found.length ? [{ title: i18n._('Results'), emoji: found.map(inTone) }] : []
  }
  const named = new Map(flat.map((one) => [one.emoji, one]))
  const used = recent
    .filter((emoji) => !emoji.startsWith(':') || named.has(emoji))
    .map((emoji) => Object.assign({}, named.get(withoutSkinTone(emoji)) ?? unnamed(emoji), { emoji }))
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
    { title: i18n._('Recently used'), emoji: used },
    ...(custom.length ? [{ title: i18n._('Custom'), emoji: custom }] : []),
    ...standard.map((emoji, index) => ({ title: titles[index] ?? '', emoji: emoji.map(inTone) })),
  ]
}

/** Mirrors the arrow keys in right-to-left pages. */
function mirrorKey(key: string, element: HTMLElement): string {
  if (getComputedStyle(element).direction !== 'rtl') return key
  return { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' }[key] ?? key
}

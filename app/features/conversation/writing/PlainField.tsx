import {
  Suspense,
  useImperativeHandle,
  useLayoutEffect,
  useState,
  type KeyboardEvent,
  type RefObject,
} from 'react'
import { AutoGrowTextarea } from '../../../ui/AutoGrowTextarea.tsx'
import { cx } from '../../../ui/cx.ts'
import { isComposing } from '../../../ui/isComposing.ts'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'
import { replaceText } from '../../../ui/replaceText.ts'
import { TOUCH, useMedia } from '../../../ui/useMedia.ts'
import { encodeMentions, type Mentionable } from '../../../../wire/body/encodeMentions.ts'
import { decodeForEditing, mentionedIn } from '../../parts/body/mentionText.ts'
import type { MessageFieldProps } from './MessageFieldProps.ts'
import styles from './PlainField.module.css'
import { useMentionable } from './useMentionable.ts'

const WritingTools = lazyComponent(() => import('./WritingTools.tsx'), { preload: true })

/** Mentions of a field that are remembered; later ones are found by their names only. */
const MAX_PICKED = 100

/** A text as the field shows it, and its stored form. */
interface Shown {
  body: string
  text: string
  /** The picked suggestions, the latest first, and who `body` mentioned: the lists of known names may lack some of them. */
  picked: readonly Mentionable[]
}

/**
 * The message field as a text area: shows the Markdown with the names of those whom it mentions, and emits their ids. A text
 * that was typed stays as it was typed until another one replaces it.
 */
export function PlainField({
  label,
  placeholder,
  className,
  body,
  onChange,
  channelId,
  threadRoot = null,
  commands = false,
  isFormatBarShown = false,
  onFiles,
  onFocus,
  onEnter,
  onArrowUp,
  onEscape,
  isFocusedFirst = false,
  ref,
  area,
}: MessageFieldProps & { area: RefObject<HTMLTextAreaElement | null> }) {
  const known = useMentionable()
  const isTouch = useMedia(TOUCH)
  const [isUsed, setUsed] = useState(false)
  const [typed, setTyped] = useState<Shown | null>(null)
  const shown = typed?.body === body ? typed : decode(body, known)
  const mentionable = shown.picked.length > 0 ? [...shown.picked, ...known] : known

  const emit = (text: string, picked: readonly Mentionable[], names: readonly Mentionable[]) => {
    const next = encodeMentions(text, names)
    setTyped({ body: next, text, picked })
    onChange(next)
  }
  const focus = () => area.current?.focus({ preventScroll: true })
  const replace = (from: number, to: number, insert: string) => {
    if (area.current) replaceText(area.current, { from, to, insert })
  }

  useImperativeHandle(ref, () => ({
    focus,
    insert: (text) => {
      if (area.current) replace(area.current.selectionStart, area.current.selectionEnd, text)
    },
    replaceAll: (next) => {
      const { text, picked } = decode(next, known)
      replace(0, area.current?.value.length ?? 0, text)
      // The event of the replacement was encoded with the mentions of the text before.
      emit(text, picked, [...picked, ...known])
    },
  }))

  // With the render that shows it, or the first keys would reach the composer.
  useLayoutEffect(() => {
    const { current } = area
    if (!isFocusedFirst || !current) return
    current.focus({ preventScroll: true })
    current.setSelectionRange(current.value.length, current.value.length)
  }, [area, isFocusedFirst])

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (isComposing(event.nativeEvent) || event.isDefaultPrevented()) return
    const isEnter = isTouch ? event.ctrlKey || event.metaKey : !event.shiftKey
    const run =
      event.key === 'Enter' && !event.altKey && isEnter
        ? onEnter
        : event.key === 'ArrowUp' && body === ''
          ? onArrowUp
          : event.key === 'Escape'
            ? onEscape
            : undefined
    if (!run) return
    event.preventDefault()
    run()
  }

  return (
    <>
      <Suspense>
        {isUsed || isFormatBarShown ? (
          <WritingTools
            field={area}
            channelId={channelId}
            threadRoot={threadRoot}
            mentionable={mentionable}
            isEmpty={body === ''}
            commands={commands}
            isFormatBarShown={isFormatBarShown}
            onPick={(one) => {
              const picked = [one, ...shown.picked].slice(0, MAX_PICKED)
              emit(area.current?.value ?? shown.text, picked, [...picked, ...known])
            }}
            {...(onFiles ? { onFiles } : {})}
          />
        ) : null}
      </Suspense>
      <AutoGrowTextarea
        ref={area}
        label={label}
        placeholder={placeholder}
        className={cx(styles.text, className)}
        value={shown.text}
        enterKeyHint={isTouch ? 'enter' : 'send'}
        onFocus={() => {
          // A name that changes from now on does not change the text under the caret.
          setTyped(shown)
          setUsed(true)
          onFocus?.()
        }}
        onChange={(text) => emit(text, shown.picked, mentionable)}
        onKeyDown={onKeyDown}
      />
    </>
  )
}

function decode(body: string, known: readonly Mentionable[]): Shown {
  const picked = mentionedIn(body).slice(0, MAX_PICKED)
  return { body, text: decodeForEditing(body, [...picked, ...known]), picked }
}

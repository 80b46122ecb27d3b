import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react'
import { flushSync } from 'react-dom'
import { useDevicePreference } from '../../../data/hooks/useDevicePreference.ts'
import type { MessageFieldProps } from './MessageFieldProps.ts'
import { loadedRichField, loadRichField, subscribeToRichField } from './loadRichField.ts'
import { PlainField } from './PlainField.tsx'

/** The end of a text for which suggestions may be open, and a line that has just begun, which a parsed text would lack. */
const UNFINISHED = /(?:(?:[@＠#＃:：]|^\/)\S*|\n\s*)$/

/**
 * The field of every message: in the composer, in the editor of a message, of a scheduled message and of a comment. The plain
 * field is shown until the rich one is loaded, if the reader writes Markdown source, and where the rich field cannot
 * represent the text.
 */
export function MessageField(props: MessageFieldProps) {
  const { body, onChange } = props
  const [isSource] = useDevicePreference('markdownSource')
  const rich = useSyncExternalStore(subscribeToRichField, loadedRichField)
  const area = useRef<HTMLTextAreaElement>(null)
  const isComposing = useRef(false)
  const [isFocusedFirst, setFocusedFirst] = useState(props.isFocusedFirst ?? false)
  /** The last text of the field or its owner, and whether the rich field shows it; null: of the next render. */
  const [shown, setShown] = useState<{ body: string | null; isRich: boolean }>(() => ({
    body,
    isRich: rich?.canEditRich(body) ?? false,
  }))
  if (shown.body !== body) {
    setShown({ body, isRich: shown.isRich && rich !== null && rich.canEditRich(body) })
    if (shown.body !== null) setFocusedFirst(false)
  }
  const isRich = shown.isRich && rich !== null && !isSource

  /**
   * Exchanges the plain field, unless a composition or a suggestion would end, or the caret would move. It is exchanged at
   * once: a click or a key between the decision and the exchange would reach a field that disappears.
   */
  const exchange = useEffectEvent(() => {
    const { current } = area
    if (!current || !rich || isSource || isComposing.current) return
    const isFocused = document.activeElement === current
    const { value, selectionStart } = current
    const isAtEnd = selectionStart === value.length && !UNFINISHED.test(value)
    if ((isFocused && !isAtEnd) || !rich.canEditRich(body)) return
    flushSync(() => {
      setFocusedFirst(isFocused)
      setShown({ body: null, isRich: true })
    })
  })
  useEffect(() => {
    const { current } = area
    if (isRich || isSource || !current) return
    const controller = new AbortController()
    const { signal } = controller
    const load = () => void loadRichField()
    current.addEventListener('focus', load, { signal })
    current.addEventListener('pointerover', load, { signal })
    current.addEventListener('blur', () => exchange(), { signal })
    current.addEventListener('compositionstart', () => void (isComposing.current = true), { signal })
    current.addEventListener('compositionend', () => void (isComposing.current = false), { signal })
    const exchangeAfterHandlers = ({ target }: Event) => {
      if (target !== current) return
      // The key that inserted a suggestion is still being handled and may change the text. No other event comes before the
      // microtask.
      queueMicrotask(() => exchange())
    }
    document.addEventListener('input', exchangeAfterHandlers, { signal })
    if (document.activeElement === current) load()
    return () => controller.abort()
  }, [isRich, isSource])
  useEffect(() => {
    // React renders nothing while it runs an effect.
    if (rich && !isSource) queueMicrotask(() => exchange())
  }, [rich, isSource])

  const fieldProps: MessageFieldProps = {
    ...props,
    isFocusedFirst,
    onChange: (next) => {
      setShown((before) => ({ ...before, body: next }))
      onChange(next)
    },
  }
  return isRich ? <rich.RichField {...fieldProps} /> : <PlainField {...fieldProps} area={area} />
}

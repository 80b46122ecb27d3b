import { i18n } from '@lingui/core'
import { useEffectEvent, useId, useLayoutEffect, useRef } from 'react'
import type { Message } from '../../../../../wire/messages.ts'
import styles from './SelectRow.module.css'
import { useRangeKeys, useMessageSelection } from './useMessageSelection.ts'
import { shortcutKey } from '../../../../ui/shortcutKey.ts'

interface Props {
  message: Message
  scope: 'channel' | 'thread'
  checked: boolean
  /** The row is the one that Tab focuses. */
  tabStop: boolean
}

/** The check box of a row while messages are selected. A press anywhere on the row selects it. */
export function SelectRow({ message, scope, checked, tabStop }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const stateId = useId()
  const selection = useMessageSelection(message, scope)
  useRangeKeys(box, selection)

  const onClick = useEffectEvent((event: MouseEvent) => {
    // The check box changes by itself.
    if (event.target instanceof HTMLInputElement && box.current?.contains(event.target)) return
    event.preventDefault()
    event.stopPropagation()
    if (event.shiftKey) selection?.extend()
    else selection?.toggle()
  })
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.metaKey || event.ctrlKey || event.altKey) return
    if (![' ', 'x'].includes(shortcutKey(event))) return
    event.preventDefault()
    selection?.toggle()
  })
  useLayoutEffect(() => {
    const row = box.current?.closest('article')
    if (!row) return
    // Links and buttons of the row do nothing in the meantime.
    row.addEventListener('click', onClick, true)
    row.addEventListener('keydown', onKey)
    row.setAttribute('aria-describedby', stateId)
    row.dataset.selecting = ''
    return () => {
      row.removeEventListener('click', onClick, true)
      row.removeEventListener('keydown', onKey)
      row.removeAttribute('aria-describedby')
      delete row.dataset.selecting
    }
  }, [stateId])

  return (
    // `data-tools`: the row's keys are handled.
    <div ref={box} className={styles.box} data-tools>
      <input
        type="checkbox"
        aria-labelledby={`${scope}-${message.id}`}
        checked={checked}
        tabIndex={tabStop ? 0 : -1}
        onChange={({ nativeEvent }) => {
          if (nativeEvent instanceof MouseEvent && nativeEvent.shiftKey) selection?.extend()
          else selection?.toggle()
        }}
      />
      <span id={stateId} hidden>
        {checked ? i18n._('Selected') : i18n._('Not selected')}
      </span>
    </div>
  )
}

import { i18n } from '@lingui/core'
import { useEffect, useRef } from 'react'
import { cx } from '../../../ui/cx.ts'
import type { Choice } from './Choice.ts'
import styles from './CompletionList.module.css'
import type { Trigger } from './completionAt.ts'

interface Props {
  /** Of the list; an option has the same with its index: `<id>-0`. */
  id: string
  kind: Trigger['kind']
  choices: readonly Choice[]
  highlighted: number
  onHighlight: (index: number) => void
  onPick: (choice: Choice) => void
}

/** The suggestions above a field, which keeps the focus. */
export function CompletionList({ id, kind, choices, highlighted, onHighlight, onPick }: Props) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[highlighted]?.scrollIntoView({ block: 'nearest' })
  }, [highlighted])
  return (
    <div ref={list} id={id} role="listbox" aria-label={labelOf(kind)} className={styles.list}>
      {choices.map((choice, index) => (
        <div
          key={choice.key}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === highlighted}
          className={cx(styles.choice, index === highlighted && styles.highlighted)}
          onPointerMove={() => onHighlight(index)}
          // The field keeps the focus, or the caret would be lost before the text is inserted.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPick(choice)}
        >
          <span className={styles.icon}>{choice.icon}</span>
          <bdi className={styles.name}>{choice.label}</bdi>
          <span className={styles.hint}>{choice.hint}</span>
        </div>
      ))}
    </div>
  )
}

function labelOf(kind: Trigger['kind']): string {
  switch (kind) {
    case 'person':
      return i18n._('People')
    case 'channel':
      return i18n._('Channels')
    case 'emoji':
      return i18n._('Emoji')
    case 'command':
      return i18n._('Commands')
  }
}

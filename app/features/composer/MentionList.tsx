import { i18n } from '@lingui/core'
import { useEffect, useRef } from 'react'
import { cx } from '../../ui/cx.ts'
import { Avatar } from '../people/avatar/Avatar.tsx'
import styles from './MentionList.module.css'
import type { Choice, Mentions } from './useMentions.ts'

/** The list above the composer; focus stays in the field. */
export default function MentionList({ mentions }: { mentions: Mentions }) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[mentions.at]?.scrollIntoView({ block: 'nearest' })
  }, [mentions.at])
  return (
    <div ref={list} id={mentions.listId} role="listbox" aria-label={i18n._('People')} className={styles.list}>
      {mentions.choices.map((choice, index) => (
        <div
          key={choice.id || choice.name}
          id={`${mentions.listId}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === mentions.at}
          className={cx(styles.choice, index === mentions.at && styles.at)}
          onPointerMove={() => mentions.point(index)}
          // The field keeps the focus, or the caret would be lost before the name is put in.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => mentions.pick(choice)}
        >
          {choice.id ? (
            <Avatar id={choice.id} name={choice.name} size={24} />
          ) : (
            <span className={styles.all}>@</span>
          )}
          <bdi className={styles.name}>{choice.name}</bdi>
          <span className={styles.hint}>{hintOf(choice)}</span>
        </div>
      ))}
    </div>
  )
}

function hintOf(choice: Choice): string {
  if (choice.outside) return i18n._('not in this conversation')
  if (choice.id) return ''
  return choice.name === 'here'
    ? i18n._('Everyone active right now')
    : i18n._('Everyone in this conversation')
}

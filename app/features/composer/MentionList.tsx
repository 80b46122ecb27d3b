import { i18n } from '@lingui/core'
import { useEffect, useRef } from 'react'
import { cx } from '../../ui/cx.ts'
import { Avatar } from '../members/avatar/Avatar.tsx'
import styles from './MentionList.module.css'
import type { MentionChoice, Mentions } from './useMentions.ts'

/** The suggestions above the composer; the focus stays in the field. */
export default function MentionList({ mentions }: { mentions: Mentions }) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[mentions.highlighted]?.scrollIntoView({ block: 'nearest' })
  }, [mentions.highlighted])
  return (
    <div ref={list} id={mentions.listId} role="listbox" aria-label={i18n._('People')} className={styles.list}>
      {mentions.choices.map((choice, index) => (
        <div
          key={choice.id || choice.name}
          id={`${mentions.listId}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === mentions.highlighted}
          className={cx(styles.choice, index === mentions.highlighted && styles.highlighted)}
          onPointerMove={() => mentions.highlight(index)}
          // The field keeps the focus, or the caret would be lost before the name is inserted.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => mentions.pick(choice)}
        >
          {choice.id ? (
            <Avatar id={choice.id} name={choice.name} size={24} />
          ) : (
            <span className={styles.atSign}>@</span>
          )}
          <bdi className={styles.name}>{choice.name}</bdi>
          <span className={styles.hint}>{hintOf(choice)}</span>
        </div>
      ))}
    </div>
  )
}

function hintOf(choice: MentionChoice): string {
  if (choice.isNonMember) return i18n._('not in this conversation')
  if (choice.id) return ''
  return choice.name === 'here'
    ? i18n._('Everyone active right now')
    : i18n._('Everyone in this conversation')
}

import { useEffect, useRef } from 'react'
import { cx } from '../../../../ui/cx.ts'
import type { Choice } from './Choice.ts'
import styles from './CompletionList.module.css'

interface Props {
  /** Of the list; an option has the same with its index: `<id>-0`. */
  id: string
  label: string
  /** Below the field; above it by default. */
  isBelow?: boolean
  choices: readonly Choice[]
  highlighted: number
  onHighlight: (index: number) => void
  onPick: (choice: Choice) => void
}

/** The suggestions beside a field, which keeps the focus. */
export function CompletionList({
  id,
  label,
  isBelow = false,
  choices,
  highlighted,
  onHighlight,
  onPick,
}: Props) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[highlighted]?.scrollIntoView({ block: 'nearest' })
  }, [highlighted])
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label={label}
      className={cx(styles.list, isBelow && styles.below)}
    >
      {choices.map((choice, index) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- keys go to the field, which keeps the focus
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

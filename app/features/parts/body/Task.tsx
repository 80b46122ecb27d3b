import { i18n } from '@lingui/core'
import { use, type ReactNode } from 'react'
import { setReaction } from '../../../data/messages/messages.ts'
import { taskKey } from '../../../data/messages/taskKey.ts'
import { cx } from '../../../ui/cx.ts'
import { useToast } from '../../../ui/toast.ts'
import { useNames } from '../members/useNames.ts'
import styles from './Task.module.css'
import { MessageContext } from './MessageContext.ts'

interface Props {
  /** What its ticks are for: see `taskKey`. */
  line: string
  /** `[x]` in the text; a tick inverts it. */
  isDoneInText: boolean
  label: string
  children: ReactNode
}

/** An item of a task list. Everyone who may react ticks it for all. */
export default function Task({ line, isDoneInText, label, children }: Props) {
  const context = use(MessageContext)
  const id = taskKey(line)
  const showToast = useToast()
  const tick = context?.message.reactions.find(({ emoji }) => emoji === id)
  const who = useNames(tick?.people ?? [], tick?.count ?? 0)
  const isDone = isDoneInText !== (tick !== undefined)
  const toggle = async () => {
    if (!context) return
    const outcome = await setReaction(context.message, id, tick === undefined)
    if (!outcome.ok) showToast({ text: outcome.failure.message })
  }
  return (
    <li className={cx(styles.task, isDone && styles.done)}>
      <input
        type="checkbox"
        aria-label={label}
        title={tick && isDone ? i18n._('Done by {who}', { who }) : undefined}
        checked={isDone}
        disabled={!context?.mayTick}
        onChange={() => void toggle()}
      />
      <div>{children}</div>
    </li>
  )
}

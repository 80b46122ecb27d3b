import { use } from 'react'
import { SelectRow } from '../selection/SelectRow.tsx'
import { SelectionContext } from '../selection/SelectionContext.ts'
import { MessageToolbar, type MessageToolbarProps } from './MessageToolbar.tsx'

interface Props extends MessageToolbarProps {
  /** The row is the one that Tab focuses. */
  tabStop: boolean
}

/** What a row offers: its toolbar, or a check box while messages are selected. */
export default function MessageTools({ tabStop, ...props }: Props) {
  const selection = use(SelectionContext)?.selection
  const { message, scope } = props
  if (!selection) return <MessageToolbar {...props} />
  return (
    <SelectRow
      message={message}
      scope={scope}
      checked={selection.messages.has(message.id)}
      tabStop={tabStop}
    />
  )
}

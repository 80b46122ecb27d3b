import { i18n } from '@lingui/core'
import { useState, type ReactNode } from 'react'
import type { Bot } from '../../../../wire/bots.ts'
import type { Outcome } from '../../../data/failures/failures.ts'
import { Form } from '../../../ui/Form.tsx'
import { SelectField } from '../../../ui/SelectField.tsx'

interface Props<V> {
  bot: Bot
  channelName: (id: string) => string
  isDisabled?: boolean
  create: (channel: string) => Promise<Outcome<V>>
  onDone: (created: V) => void
  /** Further fields. */
  children?: ReactNode
}

/** Creates a webhook of a channel that the bot is in. */
export function CreateWebhookForm<V>({ bot, channelName, create, children, ...form }: Props<V>) {
  const [chosen, setChosen] = useState('')
  const channel = bot.channels.includes(chosen) ? chosen : (bot.channels[0] ?? '')
  if (bot.channels.length === 0) return <p className="muted">{i18n._('Add the bot to a channel first.')}</p>
  return (
    <Form {...form} action={i18n._('Create webhook')} variant="plain" run={() => create(channel)}>
      {children}
      <SelectField
        label={i18n._('Channel')}
        value={channel}
        options={bot.channels.map((id) => ({ value: id, label: channelName(id) }))}
        onChange={setChosen}
      />
    </Form>
  )
}

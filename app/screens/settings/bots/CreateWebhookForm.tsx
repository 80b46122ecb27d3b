import { i18n } from '@lingui/core'
import { useState, type ReactNode } from 'react'
import type { Bot } from '../../../../wire/bots.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import { SelectField } from '../../../ui/SelectField.tsx'
import type { useAction } from '../../../data/hooks/useAction.ts'
import settings from '../SettingsPane.module.css'

interface Props {
  bot: Bot
  channelName: (id: string) => string
  action: ReturnType<typeof useAction>
  disabled?: boolean
  /** Creates a webhook of this channel. */
  onCreate: (channel: string) => void
  /** Further fields. */
  children?: ReactNode
}

/** Creates a webhook of a channel that the bot is in. */
export function CreateWebhookForm({ bot, channelName, action, disabled, onCreate, children }: Props) {
  const [chosen, setChosen] = useState('')
  const channel = bot.channels.includes(chosen) ? chosen : (bot.channels[0] ?? '')
  if (bot.channels.length === 0)
    return <p className={settings.muted}>{i18n._('Add the bot to a channel first.')}</p>
  return (
    <Form onSubmit={() => onCreate(channel)} failure={action.failure}>
      {children}
      <SelectField
        label={i18n._('Channel')}
        value={channel}
        options={bot.channels.map((id) => ({ value: id, label: channelName(id) }))}
        onChange={setChosen}
      />
      <div>
        <Button type="submit" busy={action.busy} disabled={disabled}>
          {i18n._('Create webhook')}
        </Button>
      </div>
    </Form>
  )
}

import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { Bot, IncomingWebhook } from '../../../../wire/bots.ts'
import {
  createIncomingWebhook,
  deleteIncomingWebhook,
  renewIncomingWebhook,
  type WebhookAddress,
} from '../../../data/bots/bots.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { CopyField } from '../../../features/flows/people/invite/CopyField.tsx'
import { Button } from '../../../ui/Button.tsx'
import { formatDate, formatDayAndTime } from '../../../ui/dates.ts'
import { useAction } from '../../../data/hooks/useAction.ts'
import listStyles from '../SettingsList.module.css'
import { SettingsSection } from '../SettingsSection.tsx'
import { CreateWebhookForm } from './CreateWebhookForm.tsx'
import { DeleteWebhook } from './DeleteWebhook.tsx'
import { UnmanagedMark } from './UnmanagedMark.tsx'

interface Props {
  bot: Bot
  webhooks: readonly IncomingWebhook[]
  channelName: (id: string) => string
}

/** The incoming webhooks of a bot: create, renew, end. A new address is displayed until the page is left. */
export function IncomingWebhooks({ bot, webhooks, channelName }: Props) {
  const [created, setCreated] = useState<WebhookAddress | null>(null)
  const [ending, setEnding] = useState<IncomingWebhook | null>(null)
  const action = useAction()
  const run = async (work: () => ReturnType<typeof createIncomingWebhook>) => {
    const made = await action.run(work)
    if (!made) return
    setCreated(made.value)
  }
  return (
    <SettingsSection
      title={i18n._('Incoming webhooks')}
      hint={i18n._(
        'Secret addresses that other services post to, in the format of Slack’s webhooks. Each one posts to one channel.',
      )}
    >
      {created ? (
        <CopyField
          label={i18n._('Webhook address')}
          value={created.url}
          hint={i18n._('Anyone who has it can post. Copy it now; you won’t see it again.')}
          copyLabel={i18n._('Copy')}
        />
      ) : null}
      {webhooks.length > 0 ? (
        <ul className={listStyles.list}>
          {webhooks.map((webhook) => {
            const name = channelName(webhook.channel_id)
            return (
              <li key={webhook.id} className={listStyles.row}>
                <div className={listStyles.details}>
                  <p>
                    <bdi>{name}</bdi>
                  </p>
                  <p className={listStyles.small}>
                    {i18n._('created {date}', { date: formatDate(webhook.created_at) })}
                    {' · '}
                    {webhook.used_at
                      ? i18n._('last used {moment}', { moment: formatDayAndTime(webhook.used_at) })
                      : i18n._('not used yet')}
                  </p>
                  {webhook.is_unmanaged ? (
                    <UnmanagedMark
                      advice={i18n._(
                        'They may still know the address. Create a new address or delete the webhook.',
                      )}
                    />
                  ) : null}
                </div>
                <div className={listStyles.buttons}>
                  <Button
                    aria-label={i18n._('New address for the webhook of {channel}', { channel: name })}
                    onClick={() => void run(() => renewIncomingWebhook(webhook.id))}
                  >
                    {i18n._('New address')}
                  </Button>
                  <Button
                    aria-label={i18n._('Delete the webhook of {channel}', { channel: name })}
                    onClick={() => setEnding(webhook)}
                  >
                    {i18n._('Delete')}
                  </Button>
                </div>
              </li>
            )
          })}
        </ul>
      ) : null}
      <CreateWebhookForm
        bot={bot}
        channelName={channelName}
        action={action}
        onCreate={(channel) => void run(() => createIncomingWebhook(bot.id, channel))}
      />
      {ending ? (
        <DeleteWebhook
          text={i18n._('Its address stops working. Messages that it posted to {channel} stay.', {
            channel: isolateBidi(channelName(ending.channel_id)),
          })}
          run={() => deleteIncomingWebhook(ending.id)}
          onDone={() => {
            if (created?.id === ending.id) setCreated(null)
            setEnding(null)
          }}
          onClose={() => setEnding(null)}
        />
      ) : null}
    </SettingsSection>
  )
}

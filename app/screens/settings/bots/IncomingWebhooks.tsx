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
import { formatDate, formatDayAndTime } from '../../../ui/dates.ts'
import { EditableList } from '../EditableList.tsx'
import { SettingsSection } from '../SettingsSection.tsx'
import { CreateWebhookForm } from './CreateWebhookForm.tsx'
import { EditIncomingWebhook } from './EditIncomingWebhook.tsx'
import { UnmanagedMark } from './UnmanagedMark.tsx'
import { webhookDeletion } from './webhookDeletion.ts'

interface Props {
  bot: Bot
  webhooks: readonly IncomingWebhook[]
  channelName: (id: string) => string
}

/** The incoming webhooks of a bot: create, renew, end. A new address is displayed until the page is left. */
export function IncomingWebhooks({ bot, webhooks, channelName }: Props) {
  const [created, setCreated] = useState<WebhookAddress | null>(null)
  const [editing, setEditing] = useState<IncomingWebhook | null>(null)
  const renew = async (id: string) => {
    const outcome = await renewIncomingWebhook(id)
    if (outcome.ok) setCreated(outcome.value)
    return outcome
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
      <EditableList
        items={webhooks}
        keyOf={({ id }) => id}
        actions={(webhook) => {
          const { id, channel_id } = webhook
          const channel = channelName(channel_id)
          return [
            {
              text: i18n._('Edit'),
              label: i18n._('Edit the webhook of {channel}', { channel }),
              onClick: () => setEditing(webhook),
            },
            {
              text: i18n._('New address'),
              label: i18n._('New address for the webhook of {channel}', { channel }),
              run: () => renew(id),
            },
            {
              text: i18n._('Delete'),
              label: i18n._('Delete the webhook of {channel}', { channel }),
              confirm: {
                ...webhookDeletion(
                  i18n._('Its address stops working. Messages that it posted to {channel} stay.', {
                    channel: isolateBidi(channel),
                  }),
                  () => deleteIncomingWebhook(id),
                ),
                onDone: () => {
                  if (created?.id === id) setCreated(null)
                },
              },
            },
          ]
        }}
      >
        {(webhook) => (
          <>
            <p>
              {webhook.emoji} {webhook.name === null ? null : <bdi>{webhook.name}</bdi>}
              {webhook.name === null ? null : ' · '}
              <bdi>{channelName(webhook.channel_id)}</bdi>
            </p>
            <p className="note">
              {i18n._('created {date}', { date: formatDate(webhook.created_at) })}
              {' · '}
              {webhook.used_at
                ? i18n._('last used {moment}', { moment: formatDayAndTime(webhook.used_at) })
                : i18n._('not used yet')}
              {webhook.notifies_everyone ? ` · ${i18n._('may notify everyone')}` : null}
            </p>
            {webhook.is_unmanaged ? (
              <UnmanagedMark
                advice={i18n._(
                  'They may still know the address. Create a new address or delete the webhook.',
                )}
              />
            ) : null}
          </>
        )}
      </EditableList>
      <CreateWebhookForm
        bot={bot}
        channelName={channelName}
        create={(channel) => createIncomingWebhook(bot.id, channel)}
        onDone={setCreated}
      />
      {editing ? <EditIncomingWebhook bot={bot} webhook={editing} onClose={() => setEditing(null)} /> : null}
    </SettingsSection>
  )
}

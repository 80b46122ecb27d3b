import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { Bot, OutgoingWebhook } from '../../../../wire/bots.ts'
import {
  createOutgoingWebhook,
  enableOutgoingWebhook,
  keepOutgoingWebhook,
  renewOutgoingWebhook,
  deleteOutgoingWebhook,
} from '../../../data/bots/bots.ts'
import { CopyField } from '../../../features/flows/people/invite/CopyField.tsx'
import { formatDayAndTime } from '../../../ui/dates.ts'
import { TextField } from '../../../ui/TextField.tsx'
import { EditableList } from '../EditableList.tsx'
import { SettingsSection } from '../SettingsSection.tsx'
import { CreateWebhookForm } from './CreateWebhookForm.tsx'
import { deliveryReason } from './deliveryReason.ts'
import { FailedDeliveries } from './FailedDeliveries.tsx'
import { UnmanagedMark } from './UnmanagedMark.tsx'
import { webhookDeletion } from './webhookDeletion.ts'

interface Props {
  bot: Bot
  webhooks: readonly OutgoingWebhook[]
  channelName: (id: string) => string
}

/**
 * The outgoing webhooks of a bot with their failed deliveries: create, enable again, renew the secret, end. A new secret is
 * displayed until the page is left.
 */
export function OutgoingWebhooks({ bot, webhooks, channelName }: Props) {
  const [url, setUrl] = useState('')
  const [words, setWords] = useState('')
  const [secret, setSecret] = useState<{ value: string; url: string } | null>(null)
  const renew = async (id: string) => {
    const outcome = await renewOutgoingWebhook(id)
    if (outcome.ok) setSecret({ value: outcome.value.secret, url: outcome.value.webhook.url })
    return outcome
  }
  return (
    <SettingsSection
      title={i18n._('Outgoing webhooks')}
      hint={i18n._(
        'Sends new messages in a channel to another service, signed according to Standard Webhooks.',
      )}
    >
      {secret ? (
        <CopyField
          label={i18n._('Signing secret')}
          value={secret.value}
          hint={i18n._(
            'The service at {url} checks signatures with it. Copy it now; you won’t see it again.',
            { url: secret.url },
          )}
          copyLabel={i18n._('Copy')}
        />
      ) : null}
      <EditableList
        items={webhooks}
        keyOf={({ id }) => id}
        actions={({ id, url: address, disabled_at, is_unmanaged }) => [
          ...(disabled_at
            ? [
                {
                  text: i18n._('Turn on'),
                  label: i18n._('Turn on the webhook to {url}', { url: address }),
                  run: () => enableOutgoingWebhook(id),
                },
              ]
            : []),
          ...(is_unmanaged
            ? [
                {
                  text: i18n._('Keep'),
                  label: i18n._('Keep the webhook to {url}', { url: address }),
                  run: () => keepOutgoingWebhook(id),
                },
              ]
            : []),
          {
            text: i18n._('New secret'),
            label: i18n._('New secret for the webhook to {url}', { url: address }),
            confirm: {
              title: i18n._('Create a new secret?'),
              text: i18n._(
                'The current secret stops working right away. Enter the new one in the other service. Until then, the service rejects messages, and Linnet tries again later.',
              ),
              action: i18n._('Create secret'),
              doneText: i18n._('New secret created.'),
              run: () => renew(id),
            },
          },
          {
            text: i18n._('Delete'),
            label: i18n._('Delete the webhook to {url}', { url: address }),
            confirm: webhookDeletion(i18n._('No more messages are sent to {url}.', { url: address }), () =>
              deleteOutgoingWebhook(id),
            ),
          },
        ]}
      >
        {(webhook) => <WebhookFacts webhook={webhook} channel={channelName(webhook.channel_id)} />}
      </EditableList>
      <CreateWebhookForm
        bot={bot}
        channelName={channelName}
        isDisabled={url.trim() === ''}
        create={(channel) =>
          createOutgoingWebhook(bot.id, channel, url.trim(), words.split(/[\s,]+/).filter(Boolean))
        }
        onDone={(created) => {
          setSecret({ value: created.secret, url: created.webhook.url })
          setUrl('')
          setWords('')
        }}
      >
        <TextField
          label={i18n._('Address of the service')}
          type="url"
          dir="ltr"
          placeholder="https://"
          value={url}
          onChange={setUrl}
        />
        <TextField
          label={i18n._('Trigger words')}
          hint={i18n._('Optional. Sends only messages that begin with one of these words, up to 10.')}
          value={words}
          onChange={setWords}
        />
      </CreateWebhookForm>
    </SettingsSection>
  )
}

function WebhookFacts({ webhook, channel }: { webhook: OutgoingWebhook; channel: string }) {
  const { url, words, delivered_at, disabled_at, problem, deliveries, is_unmanaged } = webhook
  return (
    <>
      <p>
        <bdi dir="ltr">{url}</bdi>
      </p>
      <p className="note">
        <bdi>{channel}</bdi>
        {words.length > 0
          ? ` · ${new Intl.ListFormat(i18n.locale, { type: 'disjunction' }).format(words)}`
          : ''}
        {' · '}
        {delivered_at
          ? i18n._('last delivered {moment}', { moment: formatDayAndTime(delivered_at) })
          : i18n._('nothing delivered yet')}
      </p>
      {disabled_at ? (
        <p role="status">
          {i18n._('Turned off.')} <bdi dir="auto">{problem === null ? null : deliveryReason(problem)}</bdi>
        </p>
      ) : null}
      {is_unmanaged ? (
        <UnmanagedMark
          advice={i18n._('Check that you trust the address. Then keep or delete the webhook.')}
        />
      ) : null}
      <FailedDeliveries deliveries={deliveries} />
    </>
  )
}

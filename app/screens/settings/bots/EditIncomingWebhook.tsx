import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { Bot, IncomingWebhook } from '../../../../wire/bots.ts'
import { LIMITS } from '../../../../wire/limits.ts'
import { updateIncomingWebhook } from '../../../data/bots/bots.ts'
import { EmojiField } from '../../../features/parts/emoji/EmojiField.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import styles from './bots.module.css'

interface Props {
  bot: Bot
  webhook: IncomingWebhook
  onClose: () => void
}

/** The name and the emoji of an incoming webhook, and whether it may notify everyone. */
export function EditIncomingWebhook({ bot, webhook, onClose }: Props) {
  const [name, setName] = useState(webhook.name ?? '')
  const [emoji, setEmoji] = useState(webhook.emoji)
  const [notifiesEveryone, setNotifiesEveryone] = useState(webhook.notifies_everyone)
  return (
    <FormDialog
      title={i18n._('Edit webhook')}
      action={i18n._('Save')}
      run={() =>
        updateIncomingWebhook(webhook.id, {
          name: name.trim() || null,
          emoji,
          notifies_everyone: notifiesEveryone,
        })
      }
      doneText={i18n._('Saved.')}
      fields={{ incoming_webhooks_name_length: 'name' }}
      hasChoices={emoji !== webhook.emoji || notifiesEveryone !== webhook.notifies_everyone}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={i18n._('Name')}
        hint={i18n._('The author of its messages. Without a name, it’s the bot.')}
        placeholder={bot.name}
        autoFocus
        maxLength={LIMITS.personNameCharacters}
        value={name}
        onChange={setName}
      />
      <div className={styles.emoji}>
        <EmojiField emoji={emoji} onPick={setEmoji} />
        {emoji ? (
          <Button variant="quiet" onClick={() => setEmoji(null)}>
            {i18n._('Remove emoji')}
          </Button>
        ) : (
          <span className="note">{i18n._('An emoji as the picture of its messages')}</span>
        )}
      </div>
      <Checkbox
        label={i18n._('May notify everyone')}
        hint={i18n._('@channel and @here in its messages notify people. Otherwise they’re plain text.')}
        checked={notifiesEveryone}
        onChange={setNotifiesEveryone}
      />
    </FormDialog>
  )
}

import { i18n } from '@lingui/core'
import { useState } from 'react'
import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { LIMITS } from '../../../../wire/limits.ts'
import { createBot } from '../../../data/bots/bots.ts'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { ChannelChoice } from '../../../features/flows/channels/ChannelChoice.tsx'

/** Creates a bot and opens its settings. */
export function AddBot({ onClose }: { onClose: () => void }) {
  // The id is fixed, so that a retry after a lost response creates the same bot.
  const [id] = useState(() => crypto.randomUUID())
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [channels, setChannels] = useState<string[]>([])
  return (
    <FormDialog
      title={i18n._('Add bot')}
      action={i18n._('Add bot')}
      run={() => createBot({ id, name, description, channels })}
      isDisabled={name.trim() === ''}
      fields={{ bots_description_length: 'description' }}
      hasChoices={channels.length > 0}
      onDone={() => navigate(pathTo('bot', { botId: id }))}
      onClose={onClose}
    >
      <TextField
        label={i18n._('Name')}
        autoFocus
        maxLength={LIMITS.personNameCharacters}
        value={name}
        onChange={setName}
      />
      <TextField
        name="description"
        label={i18n._('Description')}
        hint={i18n._('Optional. What the bot does, for everyone who sees its messages.')}
        maxLength={LIMITS.botDescriptionCharacters}
        value={description}
        onChange={setDescription}
      />
      <ChannelChoice label={i18n._('Channels')} chosen={channels} onChange={setChannels} />
      <p className="note">{i18n._('It can read messages from now on, and only in these channels.')}</p>
    </FormDialog>
  )
}

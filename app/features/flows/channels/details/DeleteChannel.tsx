import { i18n } from '@lingui/core'
import { useState } from 'react'
import { conversationIn, pathTo } from '../../../../paths.ts'
import { navigate } from '../../../../historyState.ts'
import { deleteChannel } from '../../../../data/channels/manageChannels.ts'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import { TextField } from '../../../../ui/TextField.tsx'
import { ConfirmDialog } from '../../../../ui/ConfirmDialog.tsx'

interface Props {
  channel: { id: string; name: string }
  onDone?: () => void
  onClose: () => void
}

/** Deletes a channel for everyone, after its name was entered. */
export default function DeleteChannel({ channel, onDone, onClose }: Props) {
  const [entered, setEntered] = useState('')
  const name = isolateBidi(channel.name)
  return (
    <ConfirmDialog
      title={i18n._('Delete {name}?', { name })}
      text={i18n._(
        'Its messages and files are deleted for everyone, and nobody can restore them. Archive the channel instead to keep them readable. Files that were also posted in other channels stay there.',
      )}
      action={i18n._('Delete channel')}
      isDestructive
      doneText={i18n._('Channel deleted.')}
      run={() => deleteChannel(channel.id, entered)}
      onDone={() => {
        onDone?.()
        if (conversationIn(location.pathname).channelId === channel.id) navigate(pathTo('home'))
      }}
      onClose={onClose}
    >
      <TextField
        label={i18n._('Enter the name of the channel: {name}', { name })}
        required
        value={entered}
        onChange={setEntered}
      />
    </ConfirmDialog>
  )
}

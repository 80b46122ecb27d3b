import { i18n } from '@lingui/core'
import { useState } from 'react'
import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { LIMITS } from '../../../../wire/limits.ts'
import { createBot } from '../../../data/bots/bots.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { Form } from '../../../ui/Form.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { useAction } from '../../../data/hooks/useAction.ts'
import { ChannelChoice } from '../../../features/flows/channels/ChannelChoice.tsx'

/** Creates a bot and opens its settings. */
export function AddBot({ onClose }: { onClose: () => void }) {
  // The id is fixed, so that a retry after a lost response creates the same bot.
  const [id] = useState(() => crypto.randomUUID())
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [channels, setChannels] = useState<string[]>([])
  const action = useAction()
  const create = async () => {
    if (name.trim() === '') return
    if (!(await action.run(() => createBot({ id, name, description, channels })))) return
    onClose()
    navigate(pathTo('bot', { botId: id }))
  }
  return (
    <Dialog title={i18n._('Add bot')} onClose={onClose}>
      <div className={layout.body}>
        <Form onSubmit={() => void create()} failure={action.failure}>
          <TextField
            label={i18n._('Name')}
            autoComplete="off"
            autoFocus
            maxLength={LIMITS.personNameCharacters}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextField
            label={i18n._('Description')}
            hint={i18n._('Optional. What the bot does, for everyone who sees its messages.')}
            autoComplete="off"
            maxLength={LIMITS.botDescriptionCharacters}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <ChannelChoice label={i18n._('Channels')} chosen={channels} onChange={setChannels} />
          <p className={layout.small}>
            {i18n._('It can read messages from now on, and only in these channels.')}
          </p>
          <div className={layout.footer}>
            <Button variant="quiet" onClick={onClose}>
              {i18n._('Cancel')}
            </Button>
            <Button type="submit" variant="primary" busy={action.busy} disabled={name.trim() === ''}>
              {i18n._('Add bot')}
            </Button>
          </div>
        </Form>
      </div>
    </Dialog>
  )
}

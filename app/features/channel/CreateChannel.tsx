import { i18n } from '@lingui/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { LIMITS } from '../../../wire/linnet.ts'
import { createChannel } from '../../data/channelCommands.ts'
import { Button } from '../../ui/Button.tsx'
import { Check } from '../../ui/Check.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Form } from '../../ui/Form.tsx'
import sheet from '../../ui/Sheet.module.css'
import { TextField } from '../../ui/TextField.tsx'

/** A new channel: its name, what it is for, who may find it. */
export default function CreateChannel({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation()
  const [name, setName] = useState('')
  const [topic, setTopic] = useState('')
  const [isPrivate, setPrivate] = useState(false)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)

  const create = async () => {
    if (!name.trim() || busy) return
    setBusy(true)
    const kind = isPrivate ? 'private' : 'public'
    const outcome = await createChannel(crypto.randomUUID(), { kind, name: name.trim(), topic: topic.trim() })
    setBusy(false)
    if (!outcome.ok) return setFailure(outcome.failure.sentence)
    onClose()
    navigate(`/c/${outcome.value.channel.id}`)
  }

  return (
    <Dialog title={i18n._('Create a channel')} onClose={onClose}>
      <div className={sheet.body}>
        <Form onSubmit={() => void create()} failure={failure}>
          <TextField
            label={i18n._('Channel name')}
            hint={i18n._('A place, a project, a team. In any script.')}
            value={name}
            maxLength={LIMITS.channelNameCharacters}
            autoComplete="off"
            required
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextField
            label={i18n._('Topic')}
            hint={i18n._('What it is for, in a sentence. You can change it later.')}
            value={topic}
            maxLength={LIMITS.topicCharacters}
            autoComplete="off"
            onChange={(event) => setTopic(event.currentTarget.value)}
          />
          <Check
            label={i18n._('Private')}
            hint={i18n._('Only the people added to it can find and read it.')}
            checked={isPrivate}
            onChange={setPrivate}
          />
          <div className={sheet.foot}>
            <Button look="quiet" onClick={onClose}>
              {i18n._('Cancel')}
            </Button>
            <Button type="submit" look="primary" busy={busy} disabled={!name.trim()}>
              {i18n._('Create channel')}
            </Button>
          </div>
        </Form>
      </div>
    </Dialog>
  )
}

import { i18n } from '@lingui/core'
import { useState } from 'react'
import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { success, type Outcome } from '../../../data/failures/failures.ts'
import { LIMITS } from '../../../../wire/limits.ts'
import { nameKey } from '../../../../wire/texts.ts'
import { addMembers, createChannel } from '../../../data/channels/manageChannels.ts'
import { publicChannels } from '../../../data/channels/publicChannels.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { useMembers } from '../../../data/people/people.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import { useToast } from '../../../ui/toast.ts'
import { TextField } from '../../../ui/TextField.tsx'
import { useMe } from '../../parts/members/MeContext.ts'
import { PeoplePicker } from '../../parts/members/PeoplePicker.tsx'
import { visibilitySentence } from './visibilitySentence.ts'

interface Props {
  name?: string | undefined
  onClose: () => void
}

/** Creates a channel: name, visibility, topic, description, who can post and its first members. */
export default function CreateChannel({ name: first = '', onClose }: Props) {
  const me = useMe()
  const showToast = useToast()
  const existing = useQuery(publicChannels)
  const others = useMembers()
    .filter(({ profile, state }) => state === 'active' && profile.id !== me.profile.id)
    .map((member) => member.profile)
  // The id is fixed, so that a retry after a lost response creates the same channel.
  const [id] = useState(() => crypto.randomUUID())
  const [name, setName] = useState(first)
  const [kind, setKind] = useState<'public' | 'private'>('public')
  const [topic, setTopic] = useState('')
  const [description, setDescription] = useState('')
  const [announcements, setAnnouncements] = useState(false)
  const [adding, setAdding] = useState(false)
  const [people, setPeople] = useState<string[]>([])
  const trimmed = name.trim()
  const clash = existing.value?.find(({ channel }) => sameName(channel.name, trimmed))

  const create = async () => {
    const posting = announcements ? 'admins' : 'everyone'
    const fields = {
      kind,
      name: trimmed,
      topic: topic.trim(),
      description: description.trim(),
      posting,
    } as const
    const created = await createChannel(id, fields)
    if (!created.ok) return created
    return success(people.length > 0 ? await addMembers(id, people) : null)
  }
  const show = (added: Outcome<unknown> | null) => {
    navigate(pathTo('channel', { channelId: id }))
    if (added?.ok === false) {
      showToast({
        text: i18n._('The channel was created, but nobody could be added. {reason}', {
          reason: added.failure.message,
        }),
      })
    }
  }

  return (
    <FormDialog
      title={i18n._('Create a channel')}
      action={i18n._('Create channel')}
      run={create}
      onDone={show}
      hasChoices={people.length > 0}
      isDisabled={!trimmed || clash !== undefined}
      onClose={onClose}
    >
      <TextField
        label={i18n._('Channel name')}
        hint={i18n._('A team, project or topic.')}
        error={clash ? nameTakenSentence(clash.channel.archived_at !== null) : null}
        value={name}
        maxLength={LIMITS.channelNameCharacters}
        required
        onChange={setName}
      />
      <RadioGroup
        label={i18n._('Visibility')}
        hint={visibilitySentence(kind)}
        value={kind}
        options={[
          { value: 'public', label: i18n._('Public') },
          { value: 'private', label: i18n._('Private') },
        ]}
        onChange={setKind}
      />
      <TextField
        label={i18n._('Topic')}
        hint={i18n._('What’s happening now. Shown at the top of the channel.')}
        value={topic}
        maxLength={LIMITS.topicCharacters}
        onChange={setTopic}
      />
      <TextField
        label={i18n._('Description')}
        hint={i18n._('What this channel is for. Shown to people before they join.')}
        value={description}
        maxLength={LIMITS.descriptionCharacters}
        onChange={setDescription}
      />
      <Checkbox
        label={i18n._('Announcement channel')}
        hint={i18n._('Only channel managers can post; everyone can read and react.')}
        checked={announcements}
        onChange={setAnnouncements}
      />
      {others.length > 0 && !adding ? (
        <div>
          <Button onClick={() => setAdding(true)}>{i18n._('Add people now')}</Button>
        </div>
      ) : null}
      {adding ? <PeoplePicker people={others} chosen={people} max={1_000} onChange={setPeople} /> : null}
    </FormDialog>
  )
}

function nameTakenSentence(archived: boolean): string {
  return archived
    ? i18n._('An archived channel has this name. Choose another name, or unarchive that one.')
    : i18n._('That name is taken. Choose another.')
}

/** Whether the database treats two channel names as equal. */
function sameName(a: string | null, b: string): boolean {
  return a !== null && b !== '' && nameKey(a) === nameKey(b)
}

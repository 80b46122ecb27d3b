import { i18n } from '@lingui/core'
import { useState } from 'react'
import { useChannel } from '../../../data/channels/channels.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { useChannelPeople } from '../useChannelPeople.ts'
import { About } from './About.tsx'
import { AddPeople } from './AddPeople.tsx'
import styles from './Details.module.css'
import { Gone } from './Gone.tsx'
import { People } from './People.tsx'
import { Rules } from './Rules.tsx'

type Part = 'about' | 'people' | 'settings'

interface Props {
  channelId: string
  part?: Part | undefined
  /** What is being changed from the start. */
  edit?: 'topic' | undefined
  onClose: () => void
}

/** What a channel is for, who is in it, and by what rules. Of a direct or group conversation: who is in it. */
export default function ChannelDetails({ channelId, part: first = 'about', edit, onClose }: Props) {
  const channel = useChannel(channelId)
  const [part, setPart] = useState<Part>(first)
  const [adding, setAdding] = useState(false)
  const known = typeof channel === 'string' ? null : channel
  const people = useChannelPeople(channelId, known?.entry.counters.meta_rev ?? 0)
  // Put out while it was open.
  if (channel === 'missing') return <Gone onClose={onClose} />
  if (!known) return null
  const isChannel = known.kind === 'public' || known.kind === 'private'
  if (adding && known.rights.addPeople) {
    return <AddPeople channel={known} people={people} onEnd={() => setAdding(false)} onClose={onClose} />
  }
  const count = people?.length ?? 0
  const tabs = [
    { value: 'about' as const, label: i18n._('About') },
    { value: 'people' as const, label: people ? i18n._('People ({count})', { count }) : i18n._('People') },
  ]
  const rules = known.rights.manage || known.rights.archive || known.rights.leave
  return (
    <Dialog
      title={isChannel ? `#${known.name}` : known.name}
      place="high"
      className={styles.details}
      onClose={onClose}
    >
      <Tabs
        label={i18n._('About this conversation')}
        value={part}
        tabs={rules ? [...tabs, { value: 'settings' as const, label: i18n._('Settings') }] : tabs}
        onChange={setPart}
      >
        {part === 'about' ? <About channel={known} edit={edit} onClose={onClose} /> : null}
        {part === 'people' ? <People channel={known} people={people} onAdd={() => setAdding(true)} /> : null}
        {part === 'settings' && rules ? <Rules channel={known} people={people} /> : null}
      </Tabs>
    </Dialog>
  )
}

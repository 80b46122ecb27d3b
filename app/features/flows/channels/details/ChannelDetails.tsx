import { i18n } from '@lingui/core'
import { useState } from 'react'
import { useChannel } from '../../../../data/channels/channels.ts'
import { Dialog } from '../../../../ui/Dialog.tsx'
import { Tabs } from '../../../../ui/Tabs.tsx'
import { useMe } from '../../../parts/members/MeContext.ts'
import { titleOf } from '../../../parts/channels/titleOf.ts'
import { channelPeople } from '../../../../data/channels/channelPeople.ts'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import { AboutChannel } from './AboutChannel.tsx'
import { AddPeople } from './AddPeople.tsx'
import { PinnedMessages } from './PinnedMessages.tsx'
import styles from './Details.module.css'
import { ChannelMembers } from './ChannelMembers.tsx'
import { ChannelSettings } from './ChannelSettings.tsx'
import { Button } from '../../../../ui/Button.tsx'
import layout from '../../../../ui/dialogLayout.module.css'

type Tab = 'about' | 'people' | 'pins' | 'settings'

interface Props {
  channelId: string
  tab?: Tab | undefined
  /** The field that is being edited when the dialog opens. */
  edit?: 'topic' | undefined
  onClose: () => void
}

/** Description, members and settings of a channel. Of a direct or group conversation: its members. */
export default function ChannelDetails({ channelId, tab: first = 'about', edit, onClose }: Props) {
  const channel = useChannel(channelId)
  const [tab, setTab] = useState<Tab>(first)
  const [adding, setAdding] = useState(false)
  const { role } = useMe()
  const view = typeof channel === 'string' ? null : channel
  const { value: people } = useQuery(view && channelPeople, [channelId], {
    revision: view?.entry.counters.meta_rev,
  })
  // The reader was removed, or somebody deleted the channel, while the dialog was open.
  if (channel === 'missing') return <ChannelUnavailable onClose={onClose} />
  if (!view) return null
  if (adding && view.permissions.addPeople) {
    return <AddPeople channel={view} people={people} onBack={() => setAdding(false)} />
  }
  const count = people?.length ?? 0
  const tabs = [
    { value: 'about' as const, label: i18n._('About') },
    { value: 'people' as const, label: people ? i18n._('People ({count})', { count }) : i18n._('People') },
    { value: 'pins' as const, label: i18n._('Pinned') },
  ]
  // Owners and admins end a channel on the web also where they are no members.
  const endsOnWeb = Boolean(view.entry.channel.web_since) && (role === 'owner' || role === 'admin')
  const { manage, archive, leave } = view.permissions
  const hasSettings = manage || archive || leave || endsOnWeb
  return (
    <Dialog title={titleOf(view)} position="top" className={styles.details} onClose={onClose}>
      <Tabs
        label={i18n._('About this conversation')}
        value={tab}
        tabs={hasSettings ? [...tabs, { value: 'settings' as const, label: i18n._('Settings') }] : tabs}
        onChange={setTab}
      >
        {tab === 'about' ? <AboutChannel channel={view} edit={edit} onClose={onClose} /> : null}
        {tab === 'people' ? (
          <ChannelMembers channel={view} people={people} onAdd={() => setAdding(true)} />
        ) : null}
        {tab === 'pins' ? <PinnedMessages channel={view} /> : null}
        {tab === 'settings' && hasSettings ? <ChannelSettings channel={view} people={people} /> : null}
      </Tabs>
    </Dialog>
  )
}

/** Shown when the channel becomes unavailable while its dialog is open. */
function ChannelUnavailable({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={i18n._('You’re no longer in this channel')} onClose={onClose}>
      <div className={layout.body}>
        <p>{i18n._('You were removed, or the channel was made private or deleted.')}</p>
        <div className={layout.footer}>
          <Button variant="primary" onClick={onClose}>
            {i18n._('Close')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

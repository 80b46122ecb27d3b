import type { Overlay, TypedAhead } from './OverlayContext.ts'
import { lazily } from '../../ui/lazily.tsx'

export const loadPalette = () => import('../palette/Palette.tsx')
const Palette = lazily(loadPalette)
const CreateChannel = lazily(() => import('../channel/CreateChannel.tsx'))
const BrowseChannels = lazily(() => import('../channel/BrowseChannels.tsx'))
const ChannelDetails = lazily(() => import('../channel/details/ChannelDetails.tsx'))
const LeaveChannel = lazily(() => import('../channel/LeaveChannel.tsx'))
const SectionName = lazily(() => import('../side/SectionName.tsx'))
const NewConversation = lazily(() => import('../people/talks/NewConversation.tsx'))
const PersonCard = lazily(() => import('../people/card/PersonCard.tsx'))
const SetStatus = lazily(() => import('../people/status/SetStatus.tsx'))
const AddToConversation = lazily(() => import('../people/talks/AddToConversation.tsx'))
const People = lazily(() => import('../people/People.tsx'))
const Invite = lazily(() => import('../people/invite/Invite.tsx'))
const WhoReacted = lazily(() => import('../message/reactions/WhoReacted.tsx'))
const SignOut = lazily(() => import('../people/leaving/SignOut.tsx'))
const Keys = lazily(() => import('../shortcuts/Keys.tsx'))

interface Props {
  overlay: Overlay
  /** What was typed while it was loaded. */
  typed: TypedAhead
  onClose: () => void
}

/** An overlay by its kind; each is loaded when it is first opened. */
export default function OpenOverlay({ overlay, typed, onClose }: Props) {
  switch (overlay.kind) {
    case 'palette':
      return <Palette typed={typed} onClose={onClose} />
    case 'create-channel':
      return <CreateChannel name={overlay.name} onClose={onClose} />
    case 'browse-channels':
      return <BrowseChannels onClose={onClose} />
    case 'new-conversation':
      return <NewConversation onClose={onClose} />
    case 'people':
      return <People onClose={onClose} />
    case 'person':
      return <PersonCard key={overlay.id} id={overlay.id} anchor={overlay.anchor ?? null} onClose={onClose} />
    case 'status':
      return <SetStatus onClose={onClose} />
    case 'add-people-to-conversation':
      return <AddToConversation channelId={overlay.channelId} onClose={onClose} />
    case 'invite':
      return <Invite channelId={overlay.channelId ?? null} onClose={onClose} />
    case 'channel':
      return <ChannelDetails {...overlay} onClose={onClose} />
    case 'leave-channel':
      return <LeaveChannel channelId={overlay.channelId} onClose={onClose} />
    case 'section':
      return <SectionName {...overlay} onClose={onClose} />
    case 'reactions':
      return <WhoReacted {...overlay} onClose={onClose} />
    case 'sign-out':
      return <SignOut {...overlay} onClose={onClose} />
    case 'keys':
      return <Keys onClose={onClose} />
  }
}

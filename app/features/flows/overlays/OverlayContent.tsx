import type { Overlay, TypedAhead } from '../../parts/overlays/OverlayContext.ts'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'

export const loadPalette = () => import('../palette/CommandPalette.tsx')
const CommandPalette = lazyComponent(loadPalette)
const CreateChannel = lazyComponent(() => import('../channels/CreateChannel.tsx'))
const BrowseChannels = lazyComponent(() => import('../channels/BrowseChannels.tsx'))
const ChannelDetails = lazyComponent(() => import('../channels/details/ChannelDetails.tsx'))
const LeaveChannel = lazyComponent(() => import('../channels/LeaveChannel.tsx'))
const DeleteChannel = lazyComponent(() => import('../channels/details/DeleteChannel.tsx'))
const SectionDialog = lazyComponent(() => import('../sidebar/SectionDialog.tsx'))
const NewConversation = lazyComponent(() => import('../directMessages/NewConversation.tsx'))
const PersonCard = lazyComponent(() => import('../people/card/PersonCard.tsx'))
const ChangePeople = lazyComponent(() => import('../people/manage/ChangePeople.tsx'))
const SetStatus = lazyComponent(() => import('../people/status/SetStatus.tsx'))
const AddToConversation = lazyComponent(() => import('../directMessages/AddToConversation.tsx'))
const Invite = lazyComponent(() => import('../people/invite/Invite.tsx'))
const WhoReacted = lazyComponent(() => import('../../conversation/reactions/WhoReacted.tsx'))
const CreatePoll = lazyComponent(() => import('../../conversation/composer/poll/CreatePoll.tsx'))
const WhoCanRead = lazyComponent(() => import('../messages/readers/WhoCanRead.tsx'))
const EditHistory = lazyComponent(() => import('../../conversation/message/edit/EditHistory.tsx'))
const ForwardMessage = lazyComponent(() => import('../messages/forward/ForwardMessage.tsx'))
const JumpToDate = lazyComponent(() => import('../jumpToDate/JumpToDate.tsx'))
const MoveThread = lazyComponent(() => import('../messages/move/MoveThread.tsx'))
const ReportMessage = lazyComponent(() => import('../moderation/ReportMessage.tsx'))
const RemoveMessage = lazyComponent(() => import('../moderation/RemoveMessage.tsx'))
const SilencePerson = lazyComponent(() => import('../moderation/SilencePerson.tsx'))
const ReminderDialog = lazyComponent(() => import('../reminders/ReminderDialog.tsx'))
const ScheduleDialog = lazyComponent(() => import('../../conversation/composer/schedule/ScheduleDialog.tsx'))
const SignOutDialog = lazyComponent(() => import('../signOut/SignOutDialog.tsx'), { preload: true })
const CreateWorkspace = lazyComponent(() => import('../workspaces/CreateWorkspace.tsx'))
const ShortcutsDialog = lazyComponent(() => import('../shortcuts/ShortcutsDialog.tsx'))

interface Props {
  overlay: Overlay
  /** The text that was typed while the overlay loaded. */
  typed: TypedAhead
  onClose: () => void
}

/** Renders an overlay by its kind. The code of a kind is loaded when it is first opened. */
export default function OverlayContent({ overlay, typed, onClose }: Props) {
  switch (overlay.kind) {
    case 'palette':
      return <CommandPalette typed={typed} onClose={onClose} />
    case 'create-channel':
      return <CreateChannel name={overlay.name} onClose={onClose} />
    case 'browse-channels':
      return <BrowseChannels onClose={onClose} />
    case 'new-conversation':
      return <NewConversation onClose={onClose} />
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
    case 'delete-channel':
      return <DeleteChannel channel={overlay.channel} onClose={onClose} />
    case 'section':
      return <SectionDialog {...overlay} onClose={onClose} />
    case 'reactions':
      return <WhoReacted {...overlay} onClose={onClose} />
    case 'create-poll':
      return <CreatePoll {...overlay} onClose={onClose} />
    case 'readers':
      return <WhoCanRead {...overlay} onClose={onClose} />
    case 'edit-history':
      return <EditHistory {...overlay} onClose={onClose} />
    case 'report':
      return <ReportMessage {...overlay} onClose={onClose} />
    case 'remove-message':
      return <RemoveMessage {...overlay} onClose={onClose} />
    case 'silence':
      return <SilencePerson {...overlay} onClose={onClose} />
    case 'change-person':
      return (
        <ChangePeople action={overlay.action} people={[overlay.person]} onDone={onClose} onClose={onClose} />
      )
    case 'forward':
      return <ForwardMessage {...overlay} onClose={onClose} />
    case 'jump-to-date':
      return <JumpToDate {...overlay} onClose={onClose} />
    case 'reminder':
      return <ReminderDialog {...overlay} onClose={onClose} />
    case 'schedule-message':
      return <ScheduleDialog {...overlay} onClose={onClose} />
    case 'move-thread':
      return <MoveThread {...overlay} onClose={onClose} />
    case 'sign-out':
      return <SignOutDialog {...overlay} onClose={onClose} />
    case 'create-workspace':
      return <CreateWorkspace onClose={onClose} />
    case 'keys':
      return <ShortcutsDialog onClose={onClose} />
  }
}

import { i18n } from '@lingui/core'
import { isolateBidi } from '../../data/people/isolateBidi.ts'
import { canInvite } from '../../data/workspaces/workspacePermissions.ts'
import { useMe } from '../../features/parts/members/MeContext.ts'
import { useOverlay } from '../../features/parts/overlays/OverlayContext.ts'
import { Button } from '../../ui/Button.tsx'

/** Adds members of the workspace to the channel, or invites people to the workspace. */
export default function IntroActions({ channelId }: { channelId: string }) {
  const open = useOverlay()
  const me = useMe()
  return (
    <>
      <Button onClick={() => open({ kind: 'channel', channelId, tab: 'people' })}>
        {i18n._('Add people to this channel')}
      </Button>
      {canInvite(me) ? (
        <Button onClick={() => open({ kind: 'invite', channelId })}>
          {i18n._('Invite new people to {workspace}', { workspace: isolateBidi(me.workspace.name) })}
        </Button>
      ) : null}
    </>
  )
}

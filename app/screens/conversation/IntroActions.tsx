import { i18n } from '@lingui/core'
import { isolateBidi } from '../../data/people/isolateBidi.ts'
import { canInvite } from '../../data/workspaces/workspacePermissions.ts'
import { useMe } from '../../features/parts/members/MeContext.ts'
import { useOverlay } from '../../features/parts/overlays/OverlayContext.ts'
import { Button } from '../../ui/Button.tsx'

/** Invites people to the workspace, or adds members of the workspace to the channel. */
export default function IntroActions({ channelId }: { channelId: string }) {
  const open = useOverlay()
  const me = useMe()
  return (
    <>
      {canInvite(me) ? (
        <Button onClick={() => open({ kind: 'invite', channelId })}>
          {i18n._('Invite new people to {workspace}', { workspace: isolateBidi(me.workspace.name) })}
        </Button>
      ) : null}
      <Button onClick={() => open({ kind: 'channel', channelId, tab: 'people' })}>
        {i18n._('Add people to this channel')}
      </Button>
    </>
  )
}

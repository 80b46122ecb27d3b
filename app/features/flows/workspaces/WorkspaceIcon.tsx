import type { Workspace } from '../../../../wire/people.ts'
import { Avatar } from '../../parts/members/avatar/Avatar.tsx'

interface Props {
  workspace: Pick<Workspace, 'id' | 'name' | 'icon'>
  size?: 20 | 56
}

/** The icon of a workspace, else its initial. Hidden from screen readers: the name is beside it. */
export function WorkspaceIcon({ workspace: { id, name, icon }, size = 20 }: Props) {
  return <Avatar id={id} name={name} size={size} path={icon ?? null} />
}

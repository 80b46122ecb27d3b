import { keyNames } from './keyNames.ts'

/** The shortcut of the workspace at a position of the menu, from 0; null after the ninth. */
export function workspaceKeys(index: number): string | null {
  return index < 9 ? keyNames(`Ctrl Shift ${index + 1}`) : null
}

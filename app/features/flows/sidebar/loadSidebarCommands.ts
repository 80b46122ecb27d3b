/** Commands that change the sidebar and preferences, loaded when first needed. */
export const loadSidebarCommands = () => import('../../../data/sidebar/sidebarCommands.ts')

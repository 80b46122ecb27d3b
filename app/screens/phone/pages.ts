// One chunk for the pages of the tabs of a phone.
export { default as DirectPage } from './DirectPage.tsx'
export { default as YouPage } from './YouPage.tsx'

// atom.xml of each tag.
export { atom as GET, ofTags as getStaticPaths } from "../../../../../lib/feeds";

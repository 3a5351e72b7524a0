// atom.xml of each language.
export { atom as GET, ofBlogs as getStaticPaths } from "../../../lib/feeds";

// feed.xml of each language.
export { rss as GET, ofBlogs as getStaticPaths } from "../../../lib/feeds";
